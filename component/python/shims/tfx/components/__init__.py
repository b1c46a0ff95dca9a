"""Only the trainer's."""

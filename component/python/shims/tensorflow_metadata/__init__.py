"""Stands in for tensorflow_metadata: its messages, as far as our .proto files have them."""

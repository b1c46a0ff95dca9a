"""dataset_options."""

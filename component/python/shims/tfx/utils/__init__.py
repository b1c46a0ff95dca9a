"""io_utils."""

"""schema_utils."""

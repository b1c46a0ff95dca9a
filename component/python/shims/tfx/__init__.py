"""Stands in for TFX: what module files import of it."""

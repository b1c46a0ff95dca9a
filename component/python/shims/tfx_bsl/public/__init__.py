"""tfxio."""

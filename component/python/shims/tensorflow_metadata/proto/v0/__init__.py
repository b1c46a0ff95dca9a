"""schema_pb2 and what it imports."""

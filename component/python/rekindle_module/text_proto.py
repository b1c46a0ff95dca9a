"""Messages in files, in text form."""


def parse_pbtxt_file(file_name, message):
    """Reads the file into `message`, skipping fields that it does not know, and returns it."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel
    from google.protobuf import text_format  # pylint: disable=import-outside-toplevel

    return text_format.Parse(tf.io.gfile.GFile(file_name).read(), message, allow_unknown_field=True)


class SchemaReader:
    """Reads a schema's file."""

    def read(self, schema_path):
        from tensorflow_metadata.proto.v0 import schema_pb2  # pylint: disable=import-outside-toplevel

        return parse_pbtxt_file(schema_path, schema_pb2.Schema())

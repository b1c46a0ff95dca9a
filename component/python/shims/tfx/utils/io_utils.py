"""Reading messages in text form."""

from rekindle_module.text_proto import SchemaReader
from rekindle_module.text_proto import parse_pbtxt_file

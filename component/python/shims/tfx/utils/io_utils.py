"""Reading messages in text form, copying folders."""

from rekindle_module.text_proto import SchemaReader
from rekindle_module.text_proto import parse_pbtxt_file
from rekindle_module.model_layout import replace_copy as copy_dir

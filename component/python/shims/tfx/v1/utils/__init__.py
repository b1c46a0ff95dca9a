"""parse_pbtxt_file."""

from tfx.utils.io_utils import parse_pbtxt_file

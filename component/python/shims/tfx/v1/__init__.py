"""`from tfx import v1 as tfx`: components and utils."""

from tfx.v1 import components
from tfx.v1 import utils

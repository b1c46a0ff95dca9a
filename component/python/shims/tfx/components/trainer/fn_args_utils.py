"""FnArgs and DataAccessor."""

from rekindle_module.fn_args import DataAccessor
from rekindle_module.fn_args import FnArgs

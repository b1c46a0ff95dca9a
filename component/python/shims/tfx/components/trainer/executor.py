"""TrainerFnArgs, and the executors' names."""

from rekindle_module.fn_args import FnArgs as TrainerFnArgs


class GenericExecutor:
    """Names the executor that calls run_fn: `rekindle train` is it."""


class Executor:
    """Names the executor that calls trainer_fn: `rekindle train` is it."""

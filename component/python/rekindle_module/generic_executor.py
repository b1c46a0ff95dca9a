"""Calls run_fn, as TFX's GenericExecutor does."""

from rekindle_module import data_accessor
from rekindle_module import fn_args
from rekindle_module import model_layout


def run(module, executor_input):
    """Trains by the module's run_fn, which writes the model into serving_model_dir. There is nothing to say of it."""
    arguments = fn_args.make_fn_args(executor_input, data_accessor.make_data_accessor())
    module.run_fn(arguments)
    model_layout.settle(executor_input)
    return {}

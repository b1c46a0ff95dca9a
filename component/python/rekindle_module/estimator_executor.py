"""Calls trainer_fn, as TFX's Executor did while there were Estimators."""

from rekindle_module import failure


def run(module, executor_input):
    """Refuses: Estimators are not run yet."""
    raise failure.Failure(failure.MODULE_UNUSABLE, "%s has only trainer_fn, of an Estimator; define run_fn(fn_args)" %
                          module.__file__)

"""Which function of a module trains."""

import difflib
import os

from rekindle_module import failure

AUTO, GENERIC, ESTIMATOR = CHOICES = ("auto", "generic", "estimator")
_FUNCTIONS = {GENERIC: "run_fn", ESTIMATOR: "trainer_fn"}


def choose(module, asked):
    """The executor for `module`, a function of the module and the executor input; run_fn goes before trainer_fn."""
    kinds = [asked] if asked != AUTO else [GENERIC, ESTIMATOR]
    for kind in kinds:
        if callable(getattr(module, _FUNCTIONS[kind], None)):
            return _executor(kind)
    raise failure.Failure(failure.MODULE_UNUSABLE, _nothing_to_call(module, kinds))


def _executor(kind):
    if kind == GENERIC:
        from rekindle_module import generic_executor as executor  # pylint: disable=import-outside-toplevel
    else:
        from rekindle_module import estimator_executor as executor  # pylint: disable=import-outside-toplevel
    return executor.run


def _nothing_to_call(module, kinds):
    wanted = [_FUNCTIONS[kind] for kind in kinds]
    own = [name for name, value in vars(module).items() if callable(value)]
    near = [match for name in wanted for match in difflib.get_close_matches(name, own, n=1)]
    return "%s has no %s%s; it must define run_fn(fn_args)" % (
        os.path.basename(module.__file__), " and no ".join(wanted),
        ", but '%s'" % near[0] if near else "")

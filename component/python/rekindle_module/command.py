"""The program: flags, signals, and what becomes of the ways in which a module can end."""

import argparse
import atexit
import json
import os
import signal
import sys
import threading
import time

from rekindle_module import cluster
from rekindle_module import contract
from rekindle_module import devices
from rekindle_module import executors
from rekindle_module import failure
from rekindle_module import interpreter
from rekindle_module import report
from rekindle_module import shim_path
from rekindle_module import user_module

_FAILED = 1
_STOPPED = 128 + signal.SIGTERM
_TEMPORARY_FAILURE = 75
_LOADING, _TRAINING = "while it was loaded", "while it trained"
# For threads that run_fn left running, to finish what they write.
_JOIN_SECONDS = 10


class Stopped(KeyboardInterrupt):
    """SIGTERM: ends whatever the module is at, by its `finally` and `except KeyboardInterrupt`."""


def main(arguments):
    """The program's exit code; the answer is in the file that the executor input names."""
    flags = _parse(arguments)
    if flags.describe:
        print(json.dumps(interpreter.describe()))
        return 0
    if flags.probe:
        return _probe(flags)
    _begin(flags)
    executor_input = contract.read_input(flags.executor_input)
    try:
        answer = _run(flags, executor_input)
    except Stopped as stopped:
        report.show(stopped)
        return _end(_STOPPED)
    contract.write_output(executor_input["output_path"], answer)
    return _end(0 if answer["error"] is None else _FAILED)


def _parse(arguments):
    parser = argparse.ArgumentParser(prog="run_module.py", description="Runs a TFX module file.")
    parser.add_argument("--describe", action="store_true", help="print what the interpreter is, and end")
    parser.add_argument("--probe", nargs="+", metavar=("MODEL", "EXAMPLES"),
                        help="try the SavedModel on the examples, print what is wrong with it, and end")
    parser.add_argument("--executor_input", help="the file of docs/executor-contract.md")
    parser.add_argument("--module_file", help="the module, with run_fn or trainer_fn")
    parser.add_argument("--executor", choices=executors.CHOICES, default=executors.AUTO)
    parser.add_argument("--skip_validation", action="store_true", help="do not try the model")
    parser.add_argument("--require_gpu", action="store_true", help="refuse to train on the CPU")
    flags = parser.parse_args(arguments)
    if not (flags.describe or flags.probe or (flags.executor_input and flags.module_file)):
        parser.error("--executor_input and --module_file are required")
    return flags


def _probe(flags):
    from rekindle_module import probe  # pylint: disable=import-outside-toplevel

    try:
        probe.check(flags.probe[0], flags.probe[1:])
    except failure.Failure as error:
        print(error)
        return _FAILED
    return 0


def _begin(flags):
    """Makes this process look to the module as if it had been started alone."""
    flags.module_file = os.path.abspath(flags.module_file)
    signal.signal(signal.SIGTERM, _stop)
    # A pipe would hold lines back, and mix them up with those of stderr.
    sys.stdout.reconfigure(line_buffering=True)
    sys.argv = [flags.module_file]
    shim_path.install(os.path.dirname(flags.module_file))


def _stop(signal_number, frame):
    del frame
    raise Stopped("signal %d" % signal_number)


def _run(flags, executor_input):
    """The answer of a run, whatever way the module ended."""
    try:
        trained = _train(flags, executor_input)
        return contract.succeeded(interpreter.environment(), trained)
    except failure.Failure as error:
        return contract.failed(error)


def _train(flags, executor_input):
    """Trains, and looks at the model; what the executor says of it."""
    module = _guarded(lambda: user_module.load(flags.module_file), _LOADING, report.unusable, flags)
    execute = executors.choose(module, flags.executor)
    _guarded(lambda: devices.look(flags.require_gpu), _LOADING, report.unusable, flags)
    try:
        trained = _guarded(lambda: execute(module, executor_input), _TRAINING, report.raised, flags)
    except SystemExit:
        trained = {}  # with 0: it said that all is well; whether it is, is looked at now
    _join_threads()
    if cluster.is_chief():
        _check_model(flags, executor_input)
    return trained


def _check_model(flags, executor_input):
    model = executor_input["serving_model_dir"]
    if not os.path.exists(model):
        raise failure.Failure(
            failure.NO_OUTPUT, "%s ended well, but wrote no model into fn_args.serving_model_dir, %s" %
            (os.path.basename(flags.module_file), model), failure.NOT_FOUND)
    if not flags.skip_validation:
        from rekindle_module import probe  # pylint: disable=import-outside-toplevel

        probe.check(model, _examples_of_model(executor_input))


def _examples_of_model(executor_input):
    """Patterns of examples to ask the model for: none where those at hand are transformed, and the model's are raw."""
    return [] if executor_input["transform_graph_path"] else executor_input["eval_files"]


def _guarded(call, when, explain, flags):
    """Calls the user's code; what it raises becomes a Failure, and is shown with its traceback."""
    try:
        return call()
    except (Stopped, failure.Failure):
        raise
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        if code == 0 and when == _TRAINING:
            raise
        raise _called_exit(ended, code, when, flags) from ended
    except BaseException as error:  # the user's own, KeyboardInterrupt too
        report.show(error)
        raise explain(error, flags.module_file) from error


def _called_exit(ended, code, when, flags):
    text = ": %s" % ended.code if isinstance(ended.code, str) else ""
    name = os.path.basename(flags.module_file)
    return failure.Failure(
        failure.CHILD_EXIT_CODE, "%s called sys.exit(%d) %s%s" % (name, code, when, text),
        failure.UNAVAILABLE if code == _TEMPORARY_FAILURE else failure.UNKNOWN)


def _running_threads():
    return [thread for thread in threading.enumerate()
            if thread is not threading.current_thread() and not thread.daemon and thread.is_alive()]


def _join_threads():
    """Waits a while for the module's threads: one may be writing the model."""
    deadline = time.monotonic() + _JOIN_SECONDS
    for thread in _running_threads():
        thread.join(max(0, deadline - time.monotonic()))


def _end(exit_code):
    """`exit_code`, if the process can end by itself; one that a thread of the module's would keep ends here."""
    left = _running_threads()
    if not left:
        return exit_code
    print("threads of the module still run, and are ended: %s" % ", ".join(thread.name for thread in left),
          file=sys.stderr)
    atexit._run_exitfuncs()  # pylint: disable=protected-access
    sys.stdout.flush()
    sys.stderr.flush()
    return os._exit(exit_code)  # pylint: disable=protected-access

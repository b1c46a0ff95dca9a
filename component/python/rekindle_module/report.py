"""What a user's exception becomes: a traceback for the log, and one sentence with a reason."""

import os
import sys
import traceback

from rekindle_module import estimators
from rekindle_module import failure
from rekindle_module import shim_path
from rekindle_module import user_module

_LONGEST_SENTENCE = 600


def show(error):
    """Prints the traceback in full, but for the frames of ours that led to the module."""
    frames = error.__traceback__
    while frames is not None and _is_ours(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    if frames is None and not isinstance(error, SyntaxError):
        frames = error.__traceback__
    traceback.print_exception(type(error), error, frames)
    sys.stderr.flush()


def raised(error, module_file):
    """The Failure that stands for what the module raised while it ran."""
    if isinstance(error, failure.Failure):
        return error
    if isinstance(error, ModuleNotFoundError) or _is_of_a_stand_in(error):
        return user_module.missing_package(error, shim_path.PIP_NAMES)
    if estimators.are_missing(error):
        return estimators.missing(module_file)
    reason, code = _reason_of(error)
    return failure.Failure(reason, _last_line(error, module_file), code)


def unusable(error, module_file):
    """The Failure that stands for what the module raised while it was loaded."""
    if isinstance(error, SyntaxError):
        return failure.Failure(
            failure.MODULE_UNUSABLE,
            "%s:%s: %s: %s" % (error.filename or module_file, error.lineno, type(error).__name__, error.msg))
    found = raised(error, module_file)
    if found.reason == failure.MODULE_RAISED:
        found = failure.Failure(failure.MODULE_UNUSABLE, "while %s was loaded: %s" %
                                (os.path.basename(module_file), found))
    return found


def _reason_of(error):
    """A word and a code; those of TensorFlow's own errors are canonical codes too."""
    unavailable = getattr(error, "error_code", None) == failure.UNAVAILABLE
    return failure.of_resources(error) or (failure.MODULE_RAISED,
                                           failure.UNAVAILABLE if unavailable else failure.UNKNOWN)


def _last_line(error, module_file):
    """The last line of the traceback, and where in the user's files it was."""
    text = " ".join("".join(traceback.format_exception_only(type(error), error)).split())
    if len(text) > _LONGEST_SENTENCE:
        text = text[:_LONGEST_SENTENCE] + "..."
    folder = os.path.dirname(module_file)
    places = [frame for frame in traceback.extract_tb(error.__traceback__)
              if os.path.dirname(os.path.abspath(frame.filename)) == folder]
    if not places:
        return text
    return "%s (%s:%d, in %s)" % (text, os.path.basename(places[-1].filename), places[-1].lineno, places[-1].name)


def _is_of_a_stand_in(error):
    """Whether a name was imported that the real package has, perhaps, and its stand-in does not."""
    return isinstance(error, ImportError) and (error.path or "").startswith(shim_path.FOLDER)


def _is_ours(filename):
    return filename.startswith((shim_path.LIBRARY, "<frozen importlib"))

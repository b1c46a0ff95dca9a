"""Tries a model as a server would, before it is published: it loads, and answers finite numbers."""

import os
import subprocess
import sys

from rekindle_module import data_accessor
from rekindle_module import failure
from rekindle_module import shim_path

_EXAMPLES = 8
_SIGNATURE = "serving_default"
_SKIP = "--skip-validation publishes a model untried"


def check(serving_model_dir, eval_files):
    """Raises Failure(INVALID_OUTPUT) if the model cannot be served.

    It must be a SavedModel with signatures. If `serving_default` takes one tensor of strings, it is asked for the first
    examples of `eval_files`, if there are any.
    """
    if not os.path.isfile(os.path.join(serving_model_dir, "saved_model.pb")):
        raise _invalid("%s holds no saved_model.pb" % serving_model_dir)
    if not _is_eager():
        _check_elsewhere(serving_model_dir, eval_files)
        return
    signatures = _load(serving_model_dir).signatures
    if not signatures:
        raise _invalid("it has no signatures: save it with signatures={'%s': ...}" % _SIGNATURE)
    if eval_files and _SIGNATURE in signatures and _takes_examples(signatures[_SIGNATURE]):
        _ask(signatures[_SIGNATURE], eval_files)


def _is_eager():
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    return tf.executing_eagerly()


def _check_elsewhere(serving_model_dir, eval_files):
    """For a module that has turned TensorFlow 2's behaviour off, in this process and for good."""
    runner = os.path.join(shim_path.LIBRARY, "run_module.py")
    probe = subprocess.run([sys.executable, runner, "--probe", serving_model_dir] + list(eval_files),
                           stdout=subprocess.PIPE, text=True, check=False)
    if probe.returncode != 0:
        raise failure.Failure(failure.INVALID_OUTPUT, probe.stdout.strip() or "the model's probe failed",
                              failure.DATA_LOSS)


def _load(serving_model_dir):
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    try:
        return tf.saved_model.load(serving_model_dir)
    except Exception as error:  # whatever a broken model makes TensorFlow raise
        raise _invalid("it does not load: %s" % failure.one_line(error)) from error


def _takes_examples(signature):
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    inputs = list(signature.structured_input_signature[1].values())
    return len(inputs) == 1 and inputs[0].dtype == tf.string and inputs[0].shape.rank == 1


def _ask(signature, eval_files):
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    name, spec = next(iter(signature.structured_input_signature[1].items()))
    examples = _first_examples(eval_files, spec.shape[0] or _EXAMPLES)
    if spec.shape[0] not in (None, len(examples)):
        return  # it takes more examples at once than there are
    try:
        answer = signature(**{name: tf.constant(examples)})
    except Exception as error:
        raise _invalid("it fails on %d serialized examples: %s" % (len(examples), failure.one_line(error))) from error
    for output, values in answer.items():
        if values.dtype.is_floating and not bool(tf.reduce_all(tf.math.is_finite(values))):
            raise _invalid("its output '%s' is not finite for every one of %d examples" % (output, len(examples)))


def _first_examples(eval_files, count):
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    file = data_accessor.matching_files(eval_files)[0]
    records = tf.data.TFRecordDataset(file, data_accessor.compression_of(file)).take(count)
    return list(records.as_numpy_iterator())


def _invalid(problem):
    return failure.Failure(failure.INVALID_OUTPUT,
                           "training ended well, but its model cannot be served: %s (%s)" % (problem, _SKIP),
                           failure.DATA_LOSS)

"""Whether this TensorFlow has tf.estimator, and what to do if not."""

import os

from rekindle_module import failure

_LAST_TENSORFLOW = "2.15"  # the last that has it


def are_missing(error):
    """Whether `error` is of the kind that a module raises where TensorFlow has no Estimators any more."""
    owner = getattr(getattr(error, "obj", None), "__name__", "")
    return (isinstance(error, AttributeError) and error.name == "estimator" and
            owner.split(".")[0] in ("tensorflow", "keras"))


def missing(module_file):
    """The Failure that says so, and how to go on."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    return failure.Failure(
        failure.MODULE_UNUSABLE,
        "%s trains an Estimator, and TensorFlow %s has no tf.estimator; %s was the last with it: name the Python of an "
        "environment that has it (--python), or convert the module to a run_fn(fn_args) that trains a Keras model, as "
        "docs/python-modules.md shows for examples/python_module/taxi" % (
            os.path.basename(module_file), tf.__version__, _LAST_TENSORFLOW))


def require(module_file):
    """Raises missing() where there are none."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    if not hasattr(tf, "estimator"):
        raise missing(module_file)

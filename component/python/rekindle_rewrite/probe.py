"""What to ask two models that should answer alike, and whether they do."""

import numpy as np
import tensorflow as tf

from rekindle_module import data_accessor
from rekindle_module import failure

_EXAMPLES = 8
# Relative to numbers above 1.
_TOLERANCE = 1e-4


def read_examples(patterns):
    """The first serialized examples of the files."""
    files = data_accessor.matching_files(patterns)
    for file in files:
        records = tf.data.TFRecordDataset(file, data_accessor.compression_of(file)).take(_EXAMPLES)
        examples = list(records.as_numpy_iterator())
        if examples:
            return examples
    raise failure.Failure(failure.REWRITE_FAILED,
                          "there are no examples in %s to try a rewritten model with" % ", ".join(patterns))


def inputs_for(specs, examples):
    """Values for a signature's inputs, by name.

    An input gets the feature of its name. A list of strings that is the only input, and no feature, gets the serialized
    examples. What else is no feature gets zeros, or empty strings.
    """
    features = [tf.train.Example.FromString(example).features.feature for example in examples]
    if len(specs) == 1:
        [(name, spec)] = specs.items()
        if spec.dtype == tf.string and spec.shape.rank == 1 and not any(name in row for row in features):
            return {name: np.array(_as_many(examples, spec.shape[0]), dtype=object)}
    return {name: _values_of(name, spec, features) for name, spec in specs.items()}


def largest_difference(expected, actual):
    """Between the answers of two models, relative to numbers above 1. Raises Failure if they do not answer alike."""
    if set(expected) != set(actual):
        raise _unlike("it answers %s, the original %s" % (", ".join(sorted(actual)), ", ".join(sorted(expected))))
    return max(_difference(name, values, np.asarray(actual[name])) for name, values in expected.items())


def _as_many(values, count):
    """As many as an input with a fixed size takes: `values` again and again."""
    if count is None:
        return values
    return [values[i % len(values)] for i in range(count)]


def _values_of(name, spec, features):
    """One row for each example, as long as the input wants it."""
    batch, *shape = spec.shape.as_list() or [1]
    shape = [size or 1 for size in shape]
    rows = [_row(row, name, spec.dtype, int(np.prod(shape))) for row in _as_many(features, batch)]
    values = np.array(rows, dtype=spec.dtype.as_numpy_dtype)
    return values.reshape([len(rows)] + shape if spec.shape.rank else [])


def _row(features, name, dtype, width):
    """The feature's first `width` values; zeros or empty strings for those that it does not have."""
    values = []
    if name in features:
        kind = features[name].WhichOneof("kind")
        values = list(getattr(features[name], kind).value) if kind else []
    if values and isinstance(values[0], bytes) != (dtype == tf.string):
        values = []  # a feature of another kind
    return (values + [b"" if dtype == tf.string else 0] * width)[:width]


def _difference(name, expected, actual):
    if expected.shape != actual.shape:
        raise _unlike("its '%s' has shape %s, the original's %s" % (name, list(actual.shape), list(expected.shape)))
    if not np.issubdtype(expected.dtype, np.floating):
        if not np.array_equal(expected, actual):
            raise _unlike("its '%s' is not the original's" % name)
        return 0.0
    same = (expected == actual) | (np.isnan(expected) & np.isnan(actual))
    relative = np.where(same, 0.0, np.abs(actual - expected) / np.maximum(1.0, np.abs(expected)))
    worst = float(relative.max(initial=0.0))
    if not worst <= _TOLERANCE:  # so that NaN fails
        raise _unlike("its '%s' differs from the original's by %.3g, more than %.0e" % (name, worst, _TOLERANCE))
    return worst


def _unlike(problem):
    return failure.Failure(failure.REWRITE_FAILED,
                           "the rewritten model does not answer as the original does: " + problem)

"""Serialized examples as Arrow's record batches, as tfx_bsl lays them out: a list of values for each example."""

import sys

import tensorflow as tf

from rekindle_module import failure


def decode(serialized, schema=None):
    """A pyarrow.RecordBatch of a batch of serialized tf.Examples; a feature that one lacks is null there."""
    arrow = _pyarrow()
    examples = [tf.train.Example.FromString(record).features.feature for record in serialized]
    kinds = _kinds_in_schema(schema) if schema is not None else _kinds_in_examples(examples)
    columns = [_column(arrow, examples, name, kind) for name, kind in kinds.items()]
    return arrow.RecordBatch.from_arrays(columns, list(kinds))


def _pyarrow():
    try:
        import pyarrow  # pylint: disable=import-outside-toplevel
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise failure.Failure(
            failure.PACKAGE_MISSING,
            "record_batch_factory makes Arrow's record batches, and %s does not have pyarrow; install it: "
            "%s -m pip install pyarrow" % (sys.executable, sys.executable)) from error
    return pyarrow


def _kinds_in_schema(schema):
    from tensorflow_metadata.proto.v0 import schema_pb2  # pylint: disable=import-outside-toplevel

    kind_of_type = {schema_pb2.BYTES: "bytes_list", schema_pb2.INT: "int64_list", schema_pb2.FLOAT: "float_list"}
    return {feature.name: kind_of_type[feature.type] for feature in schema.feature}


def _kinds_in_examples(examples):
    """By name, sorted, what the examples hold; None for a feature that is always empty."""
    kinds = {}
    for example in examples:
        for name, feature in example.items():
            kinds[name] = feature.WhichOneof("kind") or kinds.get(name)
    return dict(sorted(kinds.items()))


def _column(arrow, examples, name, kind):
    if kind is None:
        return arrow.nulls(len(examples))
    item = {"bytes_list": arrow.large_binary(), "int64_list": arrow.int64(), "float_list": arrow.float32()}[kind]
    return arrow.array([_values(example, name, kind) for example in examples], type=arrow.large_list(item))


def _values(example, name, kind):
    if name not in example or example[name].WhichOneof("kind") is None:
        return None
    feature = example[name]
    if feature.WhichOneof("kind") != kind:
        raise ValueError("feature '%s' is a %s in one example, and a %s by the others or the schema" %
                         (name, feature.WhichOneof("kind"), kind))
    return list(getattr(feature, kind).value)

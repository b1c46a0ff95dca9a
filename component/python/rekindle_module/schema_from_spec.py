"""Schemas of feature specs: the way back from feature_spec.py, as tensorflow_transform has it."""

import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from rekindle_module import feature_spec as specs


def schema_from_feature_spec(feature_spec, domains=None):
    """A schema from which schema_as_feature_spec makes this spec again."""
    schema = schema_pb2.Schema()
    for name, spec in sorted(feature_spec.items()):
        value = _add_feature(schema, name, spec)
        value.type = _type_of(name, spec.dtype)
        if domains and name in domains:
            _set_domain(name, value, domains[name])
    return schema


def _set_domain(name, feature, domain):
    for kind, message in (("int_domain", schema_pb2.IntDomain), ("string_domain", schema_pb2.StringDomain),
                          ("float_domain", schema_pb2.FloatDomain)):
        if isinstance(domain, message):
            getattr(feature, kind).CopyFrom(domain)
            return
    raise ValueError("feature '%s': %r is no domain" % (name, domain))


def _add_feature(schema, name, spec):
    """Adds what makes `spec` to the schema; the feature of its values."""
    if isinstance(spec, tf.io.FixedLenFeature):
        if spec.default_value is not None:
            raise ValueError("feature '%s' has a default value, which a schema's feature cannot have" % name)
        feature = schema.feature.add(name=name)
        feature.presence.min_fraction = 1
        feature.shape.SetInParent()
        for size in spec.shape:
            feature.shape.dim.add(size=size)
        return feature
    if isinstance(spec, tf.io.VarLenFeature):
        return schema.feature.add(name=name)
    if isinstance(spec, tf.io.SparseFeature):
        return _add_sparse(schema, name, spec)
    if isinstance(spec, tf.io.RaggedFeature):
        return _add_ragged(schema, name, spec)
    raise TypeError("feature '%s': %r is no feature spec" % (name, spec))


def _add_sparse(schema, name, spec):
    several = isinstance(spec.index_key, (list, tuple))
    keys = spec.index_key if several else [spec.index_key]
    sizes = spec.size if several else [spec.size]
    sparse = schema.sparse_feature.add(name=name)
    if spec.already_sorted:
        sparse.is_sorted = True
    for key, size in zip(keys, sizes):
        sparse.index_feature.add(name=key)
        index = schema.feature.add(name=key, type=schema_pb2.INT)
        if size not in (None, -1):
            index.int_domain.min, index.int_domain.max = 0, size - 1
    sparse.value_feature.name = spec.value_key
    return schema.feature.add(name=spec.value_key)


def _add_ragged(schema, name, spec):
    value = schema.feature.add(name=spec.value_key or name)
    ragged = schema.tensor_representation_group[specs.DEFAULT_GROUP].tensor_representation[name].ragged_tensor
    ragged.feature_path.step.append(value.name)
    for partition in spec.partitions:
        if isinstance(partition, tf.io.RaggedFeature.UniformRowLength):
            ragged.partition.add(uniform_row_length=partition.length)
        elif isinstance(partition, tf.io.RaggedFeature.RowLengths):
            ragged.partition.add(row_length=partition.key)
            schema.feature.add(name=partition.key, type=schema_pb2.INT)
        else:
            raise ValueError("feature '%s': a schema has no partition like %r" % (name, partition))
    return value


def _type_of(name, dtype):
    for feature_type, candidate in specs.DTYPES.items():
        if candidate == dtype:
            return feature_type
    raise ValueError("feature '%s' is of type %s; an example holds int64, float32 and string" %
                     (name, tf.as_dtype(dtype).name))

"""Which tensors the features of a schema become, as tfx_bsl and tensorflow_transform have it.

A feature with a shape is dense, and must be in every example; one without is sparse, or ragged if the schema says so.
What the schema's tensor representations say goes before that.
"""

import dataclasses
import functools
import operator
from typing import Any, Dict

import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

# What an example can hold.
DTYPES = {schema_pb2.BYTES: tf.string, schema_pb2.INT: tf.int64, schema_pb2.FLOAT: tf.float32}
_STAGES_OF_USE = (schema_pb2.UNKNOWN_STAGE, schema_pb2.BETA, schema_pb2.PRODUCTION)
# Of tensor representations: the group that counts.
DEFAULT_GROUP = ""


@dataclasses.dataclass(frozen=True)
class SchemaAsFeatureSpecResult:
    """Unpacks as a pair."""

    feature_spec: Dict[str, Any]
    domains: Dict[str, Any]  # of features that have one

    def __iter__(self):
        return iter((self.feature_spec, self.domains))


@dataclasses.dataclass(frozen=True)
class _Tensor:
    """What a tensor is parsed as, and the feature that holds its values."""

    spec: Any
    value_feature: str
    columns: tuple  # all features that it is made of


def schema_as_feature_spec(schema):
    """The feature spec of a schema, for tf.io.parse_example, and the domains of its features."""
    features = {feature.name: feature for feature in schema.feature}
    shared = {domain.name: domain for domain in schema.string_domain}
    feature_spec, domains = {}, {}
    for name, tensor in tensors_of(schema).items():
        feature_spec[name] = _with_plain_default(tensor.spec)
        domain = _domain_of(features[tensor.value_feature], shared)
        if domain is not None:
            domains[name] = domain
    return SchemaAsFeatureSpecResult(feature_spec, domains)


def parser_of(schema):
    """A function from a batch of serialized examples to the tensors of the schema, by name."""
    tensors = tensors_of(schema)
    # tf.io.parse_example takes dense and sparse features by the name that they have in the example.
    column_of = {name: _parse_name(name, tensor) for name, tensor in tensors.items()}
    spec = {column_of[name]: tensor.spec for name, tensor in tensors.items()}

    def parse(serialized):
        parsed = tf.io.parse_example(serialized, spec)
        return {name: parsed[column] for name, column in column_of.items()}

    return parse


def tensors_of(schema):
    """The tensors of a schema by name. ValueError if there is none to be made of a feature."""
    types = {feature.name: feature.type for feature in schema.feature}
    tensors = {}
    group = schema.tensor_representation_group
    if DEFAULT_GROUP in group:
        for name, representation in group[DEFAULT_GROUP].tensor_representation.items():
            tensors[name] = _represented(name, representation, types)
    taken = {column for tensor in tensors.values() for column in tensor.columns}
    for name, tensor in _inferred(schema, types).items():
        if name not in taken:
            tensors.setdefault(name, tensor)
    return tensors


def _inferred(schema, types):
    """What follows from the features themselves."""
    tensors = {sparse.name: _sparse_feature(sparse, schema, types)
               for sparse in schema.sparse_feature if _in_use(sparse)}
    taken = {column for tensor in tensors.values() for column in tensor.columns}
    for feature in schema.feature:
        if feature.name not in taken and _in_use(feature):
            spec = _feature_spec(feature, schema.represent_variable_length_as_ragged)
            tensors[feature.name] = _Tensor(spec, feature.name, (feature.name,))
    return tensors


def _in_use(feature):
    return not feature.deprecated and feature.lifecycle_stage in _STAGES_OF_USE


def _feature_spec(feature, ragged):
    dtype = _dtype_of(feature.name, feature.type)
    if feature.HasField("shape"):
        if feature.presence.min_fraction != 1:
            raise ValueError(
                "feature '%s' has a shape, but may be missing (min_fraction is %g): give it a value_count instead, or "
                "a min_fraction of 1" % (feature.name, feature.presence.min_fraction))
        return tf.io.FixedLenFeature(_dims(feature.shape), dtype)
    if ragged:
        return tf.io.RaggedFeature(dtype, value_key=feature.name, row_splits_dtype=tf.int64)
    return tf.io.VarLenFeature(dtype)


def _sparse_feature(sparse, schema, types):
    features = {feature.name: feature for feature in schema.feature}
    indices = [index.name for index in sparse.index_feature]
    value = sparse.value_feature.name
    for column in indices + [value]:
        if column not in features:
            raise ValueError("sparse feature '%s' is made of '%s', which the schema does not have" %
                             (sparse.name, column))
    spec = tf.io.SparseFeature(
        index_key=indices, value_key=value, dtype=_dtype_of(value, types[value]),
        size=[_index_size(sparse.name, features[index]) for index in indices], already_sorted=sparse.is_sorted)
    return _Tensor(spec, value, tuple(indices + [value]))


def _index_size(name, index):
    if not index.HasField("int_domain"):
        return -1
    domain = index.int_domain
    if not (domain.HasField("min") and domain.HasField("max")) or domain.min != 0:
        raise ValueError("sparse feature '%s': the domain of its index '%s' must begin at 0 and have an end" %
                         (name, index.name))
    return domain.max + 1


def _represented(name, representation, types):
    """The tensor that a tensor representation describes."""
    kind = representation.WhichOneof("kind")
    if kind not in _REPRESENTATIONS:
        raise ValueError("tensor representation '%s' is of no kind that can be parsed" % name)
    return _REPRESENTATIONS[kind](name, getattr(representation, kind), types)


def _dense(name, dense, types):
    shape = _dims(dense.shape)
    default = None
    if dense.HasField("default_value"):
        size = functools.reduce(operator.mul, shape, 1)
        default = [getattr(dense.default_value, dense.default_value.WhichOneof("kind"))] * size
    spec = tf.io.FixedLenFeature(shape, _column_dtype(name, dense.column_name, types), default)
    return _Tensor(spec, dense.column_name, (dense.column_name,))


def _varlen(name, varlen, types):
    spec = tf.io.VarLenFeature(_column_dtype(name, varlen.column_name, types))
    return _Tensor(spec, varlen.column_name, (varlen.column_name,))


def _sparse(name, sparse, types):
    value = sparse.value_column_name
    indices = list(sparse.index_column_names)
    spec = tf.io.SparseFeature(
        index_key=indices, value_key=value, dtype=_column_dtype(name, value, types), size=_dims(sparse.dense_shape),
        already_sorted=sparse.already_sorted)
    return _Tensor(spec, value, tuple(indices + [value]))


def _ragged(name, ragged, types):
    if len(ragged.feature_path.step) != 1:
        raise ValueError("tensor representation '%s': only features of the example itself can be parsed, not '%s'" %
                         (name, ".".join(ragged.feature_path.step)))
    value = ragged.feature_path.step[0]
    int32 = ragged.row_partition_dtype == schema_pb2.TensorRepresentation.INT32
    lengths = [partition.row_length for partition in ragged.partition if partition.HasField("row_length")]
    spec = tf.io.RaggedFeature(
        _column_dtype(name, value, types), value_key=value, partitions=tuple(map(_partition, ragged.partition)),
        row_splits_dtype=tf.int32 if int32 else tf.int64)
    return _Tensor(spec, value, tuple([value] + lengths))


def _partition(partition):
    if partition.HasField("row_length"):
        return tf.io.RaggedFeature.RowLengths(partition.row_length)
    return tf.io.RaggedFeature.UniformRowLength(partition.uniform_row_length)


_REPRESENTATIONS = {
    "dense_tensor": _dense,
    "varlen_sparse_tensor": _varlen,
    "sparse_tensor": _sparse,
    "ragged_tensor": _ragged,
}


def _column_dtype(name, column, types):
    if column not in types:
        raise ValueError("tensor representation '%s' is made of '%s', which the schema does not have" % (name, column))
    return _dtype_of(column, types[column])


def _dtype_of(name, feature_type):
    if feature_type not in DTYPES:
        raise ValueError("feature '%s' is of a type that an example cannot hold: %s" %
                         (name, schema_pb2.FeatureType.Name(feature_type)))
    return DTYPES[feature_type]


def _dims(shape):
    return [dim.size for dim in shape.dim]


def _parse_name(name, tensor):
    """Under which key tf.io.parse_example wants the tensor: what is made of one column, the column's name."""
    several = isinstance(tensor.spec, (tf.io.SparseFeature, tf.io.RaggedFeature))
    return name if several else tensor.value_feature


def _with_plain_default(spec):
    """A default of one value, as text where it is text: schema_as_feature_spec's form of it."""
    if not isinstance(spec, tf.io.FixedLenFeature) or spec.default_value is None:
        return spec
    values = [_as_text(value) for value in spec.default_value]
    return spec._replace(default_value=values[0] if len(values) == 1 else values)


def _as_text(value):
    try:
        return value.decode("utf-8") if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


def _domain_of(feature, shared):
    kind = feature.WhichOneof("domain_info")
    if kind == "domain":
        return shared.get(feature.domain)
    return None if kind is None else getattr(feature, kind)

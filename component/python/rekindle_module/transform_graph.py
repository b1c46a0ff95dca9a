"""The SavedModel of a transform graph, applied to tensors."""

import tensorflow as tf

# What a graph exported with force_tf_compat_v1 has, in place of `transform_fn`.
_SIGNATURE_OF_TENSORFLOW_1 = "transform_signature"


class TransformGraph:
    """What tf.Transform exported as `transform_fn`, loaded into the graph at hand, or for eager execution.

    It must outlive what was made with it: it owns the vocabulary tables.
    """

    def __init__(self, folder):
        with tf.init_scope():
            self._loaded = tf.saved_model.load(folder)
        if _SIGNATURE_OF_TENSORFLOW_1 in self._loaded.signatures:
            self._function = self._loaded.signatures[_SIGNATURE_OF_TENSORFLOW_1]
            self._specs = _specs_by_name(self._function.structured_input_signature[1])
            self._call = self._call_by_name
        else:
            self._function = _only_function(self._loaded.transform_fn)
            self._specs = self._function.structured_input_signature[0][0]
            self._call = self._call_in_order
        self._needs = _needs_of_outputs(self._function, self._specs)

    @property
    def loaded(self):
        """The object that TensorFlow loaded; a Keras layer keeps it, so that its tables are saved with the model."""
        return self._loaded

    def apply(self, features):
        """By name, the transformed features that depend on none but the given raw ones."""
        unknown = sorted(set(features) - set(self._specs))
        if unknown:
            raise ValueError("the transform graph has no feature %s; it has %s" % (
                ", ".join(map(repr, unknown)), ", ".join(sorted(self._specs))))
        given = {name: _as_tensor(value) for name, value in features.items()}
        rows = _row_count(given)
        missing = {name: _empty(spec, rows) for name, spec in self._specs.items() if name not in given}
        outputs = self._call({**given, **missing})
        return {name: value for name, value in outputs.items() if self._needs[name].isdisjoint(missing)}

    def _call_in_order(self, features):
        return self._function(*tf.nest.flatten(features, expand_composites=True))

    def _call_by_name(self, features):
        parts = {}
        for name, value in features.items():
            if isinstance(value, tf.SparseTensor):
                parts.update(zip(_sparse_parts(name), (value.indices, value.values, value.dense_shape)))
            else:
                parts[name] = value
        return self._function(**parts)


def _only_function(function):
    """A function as tf.Transform exports it: concrete, or with one concrete function."""
    return function.concrete_functions[0] if hasattr(function, "concrete_functions") else function


def _specs_by_name(parts):
    """The specs of a signature's inputs; a sparse one is three tensors there, named after it."""
    sparse = {part[:-len("_values")]: tf.SparseTensorSpec([None, None], spec.dtype)
              for part, spec in parts.items() if part.endswith("_values")}
    sparse = {name: spec for name, spec in sparse.items() if set(_sparse_parts(name)) <= set(parts)}
    of_sparse = {part for name in sparse for part in _sparse_parts(name)}
    return {**sparse, **{name: spec for name, spec in parts.items() if name not in of_sparse}}


def _sparse_parts(name):
    return [name + "_indices", name + "_values", name + "_dense_shape"]


def _needs_of_outputs(function, specs):
    """By name of an output, the names of the inputs that it depends on."""
    placeholders = iter(function.graph.inputs)
    owner = {}
    for name in sorted(specs):
        for _ in tf.nest.flatten(specs[name], expand_composites=True):
            owner[next(placeholders).op.name] = name
    outputs = tf.nest.pack_sequence_as(function.structured_outputs, function.graph.outputs, expand_composites=True)
    return {name: _inputs_behind(value, owner) for name, value in outputs.items()}


def _inputs_behind(value, owner):
    """The owners of the placeholders from which `value` is computed."""
    waiting = [part.op for part in tf.nest.flatten(value, expand_composites=True)]
    seen = set()
    while waiting:
        operation = waiting.pop()
        if operation.name not in seen:
            seen.add(operation.name)
            waiting.extend(tensor.op for tensor in operation.inputs)
    return {owner[name] for name in seen if name in owner}


def _as_tensor(value):
    composite = isinstance(value, (tf.SparseTensor, tf.RaggedTensor))
    return value if composite else tf.convert_to_tensor(value)


def _row_count(features):
    """How many rows the features have; 1 if there are none."""
    for value in features.values():
        if isinstance(value, tf.SparseTensor):
            return value.dense_shape[0]
        if isinstance(value, tf.RaggedTensor):
            return value.nrows()
        return tf.shape(value, out_type=tf.int64)[0]
    return tf.constant(1, tf.int64)


def _empty(spec, rows):
    """A tensor of that kind without a value, or of zeros: for an input on which nothing that is asked depends."""
    if isinstance(spec, tf.SparseTensorSpec):
        shape = tf.concat([[rows], tf.zeros([spec.shape.rank - 1], tf.int64)], axis=0)
        return tf.SparseTensor(tf.zeros([0, spec.shape.rank], tf.int64), tf.zeros([0], spec.dtype), shape)
    if isinstance(spec, tf.RaggedTensorSpec):
        return tf.RaggedTensor.from_row_lengths(tf.zeros([0], spec.dtype), tf.zeros([rows], spec.row_splits_dtype))
    shape = [rows] + [size or 1 for size in spec.shape[1:]]
    return tf.zeros(tf.stack([tf.cast(size, tf.int64) for size in shape]), spec.dtype)

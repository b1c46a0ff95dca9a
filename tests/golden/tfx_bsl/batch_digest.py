"""A digest over the batches of a dataset, in their order."""

import hashlib

import tensorflow as tf

_BATCHES = 50


def of(dataset):
    """Of the first batches: names, types and values of their tensors."""
    digest = hashlib.sha256()
    for batch in dataset.take(_BATCHES):
        features, label = batch if isinstance(batch, tuple) else (batch, None)
        for name in sorted(features):
            digest.update(name.encode())
            _add(digest, features[name])
        if label is not None:
            _add(digest, label)
    return digest.hexdigest()


def _add(digest, tensor):
    parts = tf.nest.flatten(tensor, expand_composites=True)
    for part in parts:
        digest.update(repr((part.dtype.name, part.shape.as_list(), part.numpy().tolist())).encode())

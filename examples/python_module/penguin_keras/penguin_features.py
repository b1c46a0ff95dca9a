"""What the penguin model looks at."""

from typing import Dict, List

import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2
from tensorflow_transform.tf_metadata import schema_utils

LABEL_KEY = "species"
# Typical values, which stand in for those that nobody took.
MEASURES = {"bill_length_mm": 44.0, "bill_depth_mm": 17.0, "flipper_length_mm": 200.0, "body_mass_g": 4200.0}


def species_of(schema: schema_pb2.Schema) -> List[str]:
    """The species that the schema lists."""
    return list(schema_utils.schema_as_feature_spec(schema).domains[LABEL_KEY].value)


def serving_spec(schema: schema_pb2.Schema) -> Dict:
    """How to parse an example that is to be told apart."""
    spec = schema_utils.schema_as_feature_spec(schema).feature_spec
    return {key: spec[key] for key in MEASURES}


def dense_measures(parsed: Dict) -> Dict[str, tf.Tensor]:
    """A column of floats for each measure; some penguins lack some."""
    return {key: _dense(parsed[key], typical) for key, typical in MEASURES.items()}


def as_matrix(measures: Dict[str, tf.Tensor]) -> tf.Tensor:
    """One row for each penguin."""
    return tf.concat([measures[key] for key in MEASURES], axis=1)


def _dense(column, typical: float) -> tf.Tensor:
    if isinstance(column, tf.SparseTensor):
        size = tf.stack([column.dense_shape[0], 1])
        values = tf.cast(column.values, tf.float32)
        return tf.sparse.to_dense(tf.SparseTensor(column.indices, values, size), default_value=typical)
    return tf.cast(column, tf.float32)

"""A Keras model that predicts whether a taxi rider tips well.

`run_fn` and `_get_serve_tf_examples_fn` are those of TFX's documentation, word
for word; the helpers above them are what that leaves out.
"""

import tensorflow as tf
import tensorflow_transform as tft
from tfx.components.trainer.executor import TrainerFnArgs

from taxi_data import CATEGORICAL_KEYS
from taxi_data import DENSE_FLOAT_KEYS
from taxi_data import LABEL_KEY as _LABEL_KEY
from taxi_data import input_fn as _input_fn
from taxi_data import transformed_name as _transformed_name


def _build_keras_model():
  """Numbers as they are and embedded categories, below two dense layers."""
  inputs = {}
  columns = []
  for key in map(_transformed_name, DENSE_FLOAT_KEYS):
    inputs[key] = tf.keras.Input(shape=(), name=key, dtype=tf.float32)
    columns.append(tf.keras.layers.Reshape((1,))(inputs[key]))
  for name, num_values in CATEGORICAL_KEYS.items():
    key = _transformed_name(name)
    inputs[key] = tf.keras.Input(shape=(), name=key, dtype=tf.int64)
    columns.append(tf.keras.layers.Embedding(num_values, 2)(inputs[key]))
  hidden = tf.keras.layers.Concatenate()(columns)
  hidden = tf.keras.layers.Dense(16, activation='relu')(hidden)
  outputs = tf.keras.layers.Dense(1, activation='sigmoid')(hidden)
  model = tf.keras.Model(inputs=inputs, outputs=outputs)
  model.compile(
      loss='binary_crossentropy',
      optimizer=tf.keras.optimizers.Adam(0.01),
      metrics=['accuracy'])
  return model


def _get_serve_tf_examples_fn(model, tf_transform_output):
  """Returns a function that parses a serialized tf.Example."""

  model.tft_layer = tf_transform_output.transform_features_layer()

  @tf.function
  def serve_tf_examples_fn(serialized_tf_examples):
    """Returns the output to be used in the serving signature."""
    feature_spec = tf_transform_output.raw_feature_spec()
    feature_spec.pop(_LABEL_KEY)
    parsed_features = tf.io.parse_example(serialized_tf_examples, feature_spec)

    transformed_features = model.tft_layer(parsed_features)
    transformed_features.pop(_transformed_name(_LABEL_KEY))

    return model(transformed_features)

  return serve_tf_examples_fn


# TFX Trainer will call this function.
def run_fn(fn_args: TrainerFnArgs):
  """Train the model based on given args.

  Args:
    fn_args: Holds args used to train the model as name/value pairs.
  """
  tf_transform_output = tft.TFTransformOutput(fn_args.transform_output)

  train_dataset = _input_fn(fn_args.train_files, tf_transform_output, 40)
  eval_dataset = _input_fn(fn_args.eval_files, tf_transform_output, 40)

  model = _build_keras_model()

  model.fit(
      train_dataset,
      steps_per_epoch=fn_args.train_steps,
      validation_data=eval_dataset,
      validation_steps=fn_args.eval_steps)

  signatures = {
      'serving_default':
          _get_serve_tf_examples_fn(model,
                                    tf_transform_output).get_concrete_function(
                                        tf.TensorSpec(
                                            shape=[None],
                                            dtype=tf.string,
                                            name='examples')),
  }
  model.save(fn_args.serving_model_dir, save_format='tf', signatures=signatures)

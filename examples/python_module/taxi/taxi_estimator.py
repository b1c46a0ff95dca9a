"""An Estimator that predicts whether a taxi rider tips well.

`trainer_fn` is the one of TFX's documentation, word for word; the helpers
above it are what that leaves out.
"""

import tensorflow as tf
import tensorflow_model_analysis as tfma
import tensorflow_transform as tft
from tensorflow_transform.tf_metadata import schema_utils

from taxi_data import CATEGORICAL_KEYS
from taxi_data import DENSE_FLOAT_KEYS
from taxi_data import LABEL_KEY
from taxi_data import input_fn as _input_fn
from taxi_data import transformed_name


def _example_serving_receiver_fn(tf_transform_output, schema):
  """What the served model reads: serialized raw examples without the label."""
  raw_feature_spec = schema_utils.schema_as_feature_spec(schema).feature_spec
  raw_feature_spec.pop(LABEL_KEY)
  receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(
      raw_feature_spec, default_batch_size=None)()
  return tf.estimator.export.ServingInputReceiver(
      tf_transform_output.transform_raw_features(receiver.features),
      receiver.receiver_tensors)


def _eval_input_receiver_fn(tf_transform_output, schema):
  """What the evaluated model reads: serialized raw examples and their label.

  The raw features are there beside the transformed ones, to slice by.
  """
  serialized = tf.compat.v1.placeholder(
      dtype=tf.string, shape=[None], name='input_example_tensor')
  features = tf.io.parse_example(
      serialized, schema_utils.schema_as_feature_spec(schema).feature_spec)
  transformed = tf_transform_output.transform_raw_features(features)
  labels = transformed.pop(transformed_name(LABEL_KEY))
  return tfma.export.EvalInputReceiver(
      features={**features, **transformed},
      receiver_tensors={'examples': serialized},
      labels=labels)


def _build_estimator(config, hidden_units, warm_start_from=None):
  """A wide model of the categories beside a deep one of the numbers."""
  numbers = [
      tf.feature_column.numeric_column(transformed_name(key))
      for key in DENSE_FLOAT_KEYS
  ]
  categories = [
      tf.feature_column.categorical_column_with_identity(
          transformed_name(key),
          num_buckets=num_buckets,
          default_value=0)
      for key, num_buckets in CATEGORICAL_KEYS.items()
  ]
  return tf.estimator.DNNLinearCombinedClassifier(
      config=config,
      linear_feature_columns=categories,
      dnn_feature_columns=numbers,
      dnn_hidden_units=hidden_units,
      warm_start_from=warm_start_from)


# TFX will call this function
def trainer_fn(trainer_fn_args, schema):
  """Build the estimator using the high level API.

  Args:
    trainer_fn_args: Holds args used to train the model as name/value pairs.
    schema: Holds the schema of the training examples.

  Returns:
    A dict of the following:
      - estimator: The estimator that will be used for training and eval.
      - train_spec: Spec for training.
      - eval_spec: Spec for eval.
      - eval_input_receiver_fn: Input function for eval.
  """
  # Number of nodes in the first layer of the DNN
  first_dnn_layer_size = 100
  num_dnn_layers = 4
  dnn_decay_factor = 0.7

  train_batch_size = 40
  eval_batch_size = 40

  tf_transform_output = tft.TFTransformOutput(trainer_fn_args.transform_output)

  train_input_fn = lambda: _input_fn(  # pylint: disable=g-long-lambda
      trainer_fn_args.train_files,
      tf_transform_output,
      batch_size=train_batch_size)

  eval_input_fn = lambda: _input_fn(  # pylint: disable=g-long-lambda
      trainer_fn_args.eval_files,
      tf_transform_output,
      batch_size=eval_batch_size)

  train_spec = tf.estimator.TrainSpec(  # pylint: disable=g-long-lambda
      train_input_fn,
      max_steps=trainer_fn_args.train_steps)

  serving_receiver_fn = lambda: _example_serving_receiver_fn(  # pylint: disable=g-long-lambda
      tf_transform_output, schema)

  exporter = tf.estimator.FinalExporter('chicago-taxi', serving_receiver_fn)
  eval_spec = tf.estimator.EvalSpec(
      eval_input_fn,
      steps=trainer_fn_args.eval_steps,
      exporters=[exporter],
      name='chicago-taxi-eval')

  run_config = tf.estimator.RunConfig(
      save_checkpoints_steps=999, keep_checkpoint_max=1)

  run_config = run_config.replace(model_dir=trainer_fn_args.serving_model_dir)
  warm_start_from = trainer_fn_args.base_models[
      0] if trainer_fn_args.base_models else None

  estimator = _build_estimator(
      # Construct layers sizes with exponetial decay
      hidden_units=[
          max(2, int(first_dnn_layer_size * dnn_decay_factor**i))
          for i in range(num_dnn_layers)
      ],
      config=run_config,
      warm_start_from=warm_start_from)

  # Create an input receiver for TFMA processing
  receiver_fn = lambda: _eval_input_receiver_fn(  # pylint: disable=g-long-lambda
      tf_transform_output, schema)

  return {
      'estimator': estimator,
      'train_spec': train_spec,
      'eval_spec': eval_spec,
      'eval_input_receiver_fn': receiver_fn
  }

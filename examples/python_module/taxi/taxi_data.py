"""The taxi data as its transform graph leaves it: the columns, and how to read them."""

import tensorflow as tf

LABEL_KEY = 'tips'

DENSE_FLOAT_KEYS = ['trip_miles', 'fare', 'trip_seconds']

# Each with how many values it has after the transform.
CATEGORICAL_KEYS = {
    'payment_type': 6,
    'company': 6,
    'fare_bucket': 5,
    'trip_start_hour': 24,
    'trip_start_day': 8,
    'pickup_community_area': 78,
}


def transformed_name(key):
  return key + '_xf'


def input_fn(file_pattern, tf_transform_output, batch_size):
  """Batches of transformed examples, over and over.

  Args:
    file_pattern: list of patterns of the files to read.
    tf_transform_output: a tft.TFTransformOutput.
    batch_size: how many examples make one batch.

  Returns:
    A dataset of pairs: a dict of features, and the labels.
  """
  return tf.data.experimental.make_batched_features_dataset(
      file_pattern,
      batch_size,
      tf_transform_output.transformed_feature_spec(),
      reader=_gzip_reader_fn,
      label_key=transformed_name(LABEL_KEY),
      shuffle_seed=7)


def _gzip_reader_fn(filenames):
  return tf.data.TFRecordDataset(filenames, compression_type='GZIP')

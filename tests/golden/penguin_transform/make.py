"""Makes this folder: what tensorflow_transform writes of the penguins. README.md says with which versions.

    python make.py ../../../examples/penguin/penguins.csv
"""

import csv
import os
import shutil
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402  (the level must be set first)
import tensorflow_transform as tft  # noqa: E402
import tensorflow_transform.beam as tft_beam  # noqa: E402
from tensorflow_transform.tf_metadata import dataset_metadata, schema_utils  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBERS = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]

# `sex` and the numbers may be missing; `seen` is a list of any length.
RAW_SPEC = {
    "species": tf.io.FixedLenFeature([], tf.string),
    "island": tf.io.FixedLenFeature([], tf.string),
    "year": tf.io.FixedLenFeature([1], tf.int64),
    "sex": tf.io.VarLenFeature(tf.string),
    "seen": tf.io.VarLenFeature(tf.string),
    **{name: tf.io.VarLenFeature(tf.float32) for name in NUMBERS},
}


class Scale(tf.Module):
    """Something that a transform graph tracks: it has variables."""

    def __init__(self):
        super().__init__("scale")
        self.factor = tf.Variable(0.5, name="factor")
        self.words = tf.Variable(["none", "some", "many"], name="words")

    def __call__(self, values):
        return values * self.factor

    def word(self, counts):
        return tf.gather(self.words, tf.minimum(counts, 2))


def filled(values, default):
    """A feature with at most one value as a dense [n], `default` where it is missing."""
    shape = tf.stack([values.dense_shape[0], 1])
    return tf.squeeze(tf.sparse.to_dense(tf.SparseTensor(values.indices, values.values, shape), default), 1)


def transformed_by_both(inputs):
    """What TensorFlow 1's graphs and 2's functions can do alike."""
    outputs = {
        name: tft.scale_to_z_score(filled(inputs[name], -1.0))
        for name in ["bill_length_mm", "bill_depth_mm", "flipper_length_mm"]
    }
    outputs["mass_bucket"] = tft.bucketize(filled(inputs["body_mass_g"], 4000.0), 4)
    outputs["island"] = tft.compute_and_apply_vocabulary(inputs["island"], vocab_filename="island")
    outputs["sex"] = tft.compute_and_apply_vocabulary(filled(inputs["sex"], "unknown"), num_oov_buckets=1, vocab_filename="sex")
    outputs["seen"] = tft.compute_and_apply_vocabulary(inputs["seen"], vocab_filename="seen")
    outputs["island_name"] = inputs["island"]
    outputs["year"] = inputs["year"] - 2007
    outputs["species"] = tft.compute_and_apply_vocabulary(inputs["species"], vocab_filename="species")
    return outputs


def preprocessing_fn(inputs):
    """TensorFlow 2: the same, and what a module with variables makes of it."""
    outputs = transformed_by_both(inputs)
    scale = tft.make_and_track_object(Scale, name="scale")
    outputs["half_depth"] = scale(filled(inputs["bill_depth_mm"], 0.0))
    counts = tf.math.bincount(tf.cast(inputs["seen"].indices[:, 0], tf.int32),
                              minlength=tf.cast(inputs["seen"].dense_shape[0], tf.int32))
    outputs["how_often"] = scale.word(counts)
    return outputs


def raw_rows(path):
    """The penguins as lists of instances, train and eval: every third is for eval, as in our own experiment."""
    train, evaluation = [], []
    with open(path, newline="") as file:
        for number, row in enumerate(csv.DictReader(file), 1):
            instance = {name: [float(row[name])] if row[name] != "NA" else [] for name in NUMBERS}
            instance["sex"] = [row["sex"].encode()] if row["sex"] != "NA" else []
            instance.update(species=row["species"].encode(), island=row["island"].encode(), year=[int(row["year"])])
            instance["seen"] = [word.encode() for word in (row["island"], row["sex"], row["year"])[:number % 4] if word != "NA"]
            (evaluation if number % 3 == 0 else train).append(instance)
    return train, evaluation


def write_examples(path, schema, instances):
    """Writes instances as TFX does: gzip TFRecords of tf.Examples."""
    coder = tft.coders.ExampleProtoCoder(schema)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with tf.io.TFRecordWriter(path, options="GZIP") as writer:
        for instance in instances:
            writer.write(coder.encode(instance))


def write_split(kind, split, schema, instances):
    write_examples(f"{HERE}/{kind}/Split-{split}/data_tfrecord-00000-of-00001.gz", schema, instances)


def make(folder, preprocess, train, evaluation, *, compat_v1):
    """Analyzes and writes a TransformGraph into `folder`; returns the transformed splits and their schema."""
    raw = dataset_metadata.DatasetMetadata(schema_utils.schema_from_feature_spec(RAW_SPEC))
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        with tft_beam.Context(temp_dir=temporary, force_tf_compat_v1=compat_v1):
            (transformed, metadata), transform_fn = (train, raw) | tft_beam.AnalyzeAndTransformDataset(preprocess)
            others, _ = ((evaluation, raw), transform_fn) | tft_beam.TransformDataset()
            transform_fn | tft_beam.WriteTransformFn(folder)
    tft.tf_metadata.metadata_io.write_metadata(raw, f"{folder}/{tft.TFTransformOutput.RAW_METADATA_DIR}")
    return transformed, others, metadata.schema


def main(path):
    train, evaluation = raw_rows(path)
    schema = schema_utils.schema_from_feature_spec(RAW_SPEC)
    write_split("raw", "train", schema, train)
    write_split("raw", "eval", schema, evaluation)
    make(f"{HERE}/graph_v1", transformed_by_both, train, evaluation, compat_v1=True)
    *splits, transformed_schema = make(f"{HERE}/graph", preprocessing_fn, train, evaluation, compat_v1=False)
    for split, instances in zip(["train", "eval"], splits):
        write_split("transformed", split, transformed_schema, instances)


if __name__ == "__main__":
    main(sys.argv[1])

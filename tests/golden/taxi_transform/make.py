"""Makes the taxi data set beside it, with the real tensorflow_transform.

    python -m venv /tmp/tft && /tmp/tft/bin/pip install tensorflow-transform==1.21.0
    /tmp/tft/bin/python tests/golden/taxi_transform/make.py

Invented trips in the style of the Chicago taxi example: `raw` and `transformed` are TFX Examples artifacts (row for row
the same trips), `transform_graph` is TFX's TransformGraph, `transform_graph_v1` the same as force_tf_compat_v1 has it
written, `schema` the Schema of the raw examples.
"""

import math
import pathlib
import random
import shutil
import tempfile

import tensorflow as tf
import tensorflow_transform as tft
import tensorflow_transform.beam as tft_beam
from google.protobuf import text_format
from tensorflow_transform.tf_metadata import dataset_metadata
from tensorflow_transform.tf_metadata import metadata_io
from tensorflow_transform.tf_metadata import schema_utils

HERE = pathlib.Path(__file__).resolve().parent
ROWS = {"train": 400, "eval": 100}
REQUIRED = {"trip_miles": tf.float32, "fare": tf.float32, "trip_seconds": tf.int64, "trip_start_hour": tf.int64,
            "trip_start_day": tf.int64, "payment_type": tf.string}
# Not every trip has these: sparse when parsed.
OPTIONAL = {"company": tf.string, "pickup_community_area": tf.int64, "tips": tf.float32}
COMPANIES = ["Blue Diamond", "Choice Taxi", "Dispatch Taxi", "Flash Cab", "Star North"]


def transformed_name(key):
    return key + "_xf"


def filled(feature):
    """A sparse feature of at most one value as a dense one, empty values as zero or the empty text."""
    empty = "" if feature.dtype == tf.string else 0
    dense = tf.sparse.to_dense(tf.SparseTensor(feature.indices, feature.values, [feature.dense_shape[0], 1]), empty)
    return tf.squeeze(dense, axis=1)


def preprocessing_fn(inputs):
    """What TFX's Transform would run: scaled numbers, vocabularies, buckets, and whether the tip was good."""
    outputs = {}
    for key in ("trip_miles", "fare", "trip_seconds"):
        outputs[transformed_name(key)] = tft.scale_to_z_score(tf.cast(inputs[key], tf.float32))
    outputs["payment_type_xf"] = tft.compute_and_apply_vocabulary(
        inputs["payment_type"], num_oov_buckets=2, vocab_filename="payment_type")
    outputs["company_xf"] = tft.compute_and_apply_vocabulary(
        filled(inputs["company"]), top_k=4, num_oov_buckets=2, vocab_filename="company")
    outputs["fare_bucket_xf"] = tft.bucketize(inputs["fare"], 5)
    for key in ("trip_start_hour", "trip_start_day"):
        outputs[transformed_name(key)] = tf.identity(inputs[key])
    outputs["pickup_community_area_xf"] = filled(inputs["pickup_community_area"])
    good_tip = filled(inputs["tips"]) > inputs["fare"] * 0.2
    outputs["tips_xf"] = tf.cast(good_tip, tf.int64)
    return outputs


def trip(generator):
    """One trip, as a dict; card payers tip well, more so on long trips at night."""
    miles = round(generator.lognormvariate(0.8, 0.8), 2)
    hour = generator.randrange(24)
    fare = round(3.25 + 2.25 * miles + generator.uniform(0, 2), 2)
    card = generator.random() < 0.55
    pull = (2.5 if card else -3.0) + 0.15 * miles + (0.8 if hour >= 20 else 0.0)
    good = generator.random() < 1 / (1 + math.exp(-pull))
    row = {"trip_miles": miles, "fare": fare, "trip_seconds": int(miles * generator.uniform(120, 300)) + 60,
           "trip_start_hour": hour, "trip_start_day": generator.randrange(1, 8),
           "payment_type": "Credit Card" if card else generator.choice(["Cash", "Prcard", "Unknown"])}
    if generator.random() < 0.9:
        row["company"] = generator.choice(COMPANIES)
    if generator.random() < 0.9:
        row["pickup_community_area"] = generator.randrange(1, 78)
    if card or good:
        row["tips"] = round(fare * generator.uniform(*((0.21, 0.35) if good else (0.0, 0.19))), 2)
    return row


def example(values, types):
    """A tf.train.Example of the values, each of which is a number, a text or a NumPy scalar."""
    features = {}
    for name, value in values.items():
        if types[name] == tf.string:
            value = value.encode() if isinstance(value, str) else value
            features[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
        elif types[name] == tf.int64:
            features[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))
        else:
            features[name] = tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString(deterministic=True)


def write(folder, split, prefix, records):
    path = folder / ("Split-" + split) / (prefix + "-00000-of-00001.gz")
    path.parent.mkdir(parents=True)
    with tf.io.TFRecordWriter(str(path), tf.io.TFRecordOptions(compression_type="GZIP")) as writer:
        for record in records:
            writer.write(record)


def raw_schema():
    spec = {name: tf.io.FixedLenFeature([], dtype) for name, dtype in REQUIRED.items()}
    spec.update({name: tf.io.VarLenFeature(dtype) for name, dtype in OPTIONAL.items()})
    schema = schema_utils.schema_from_feature_spec(spec)
    for feature in schema.feature:
        if feature.name in OPTIONAL:
            feature.value_count.max = 1
    return schema


def analyze(rows, schema, graph, as_tensorflow_1=False):
    """Runs the analyzers over the training trips and writes the TransformGraph."""
    metadata = dataset_metadata.DatasetMetadata(schema)
    instances = [{name: row[name] if name in REQUIRED else [row[name]] if name in row else []
                  for name in (*REQUIRED, *OPTIONAL)} for row in rows]
    with tempfile.TemporaryDirectory() as scratch, tft_beam.Context(scratch, force_tf_compat_v1=as_tensorflow_1):
        transform_fn = (instances, metadata) | tft_beam.AnalyzeDataset(preprocessing_fn)
        transform_fn | tft_beam.WriteTransformFn(str(graph))
    metadata_io.write_metadata(metadata, str(graph / "metadata"))
    return tft.TFTransformOutput(str(graph))


def transformed(output, records):
    """The records after the transform, one by one."""
    features = output.transform_raw_features(
        dict(tf.io.parse_example(tf.constant(records), output.raw_feature_spec())))
    types = {name: spec.dtype for name, spec in output.transformed_feature_spec().items()}
    columns = {name: value.numpy() for name, value in features.items()}
    return [example({name: columns[name][i] for name in types}, types) for i in range(len(records))]


def main():
    for name in ("raw", "transformed", "transform_graph", "transform_graph_v1", "schema"):
        shutil.rmtree(HERE / name, ignore_errors=True)
    generator = random.Random(2026)
    rows = {split: [trip(generator) for _ in range(count)] for split, count in ROWS.items()}
    schema = raw_schema()
    (HERE / "schema").mkdir()
    (HERE / "schema" / "schema.pbtxt").write_text(text_format.MessageToString(schema))
    analyze(rows["train"], schema, HERE / "transform_graph_v1", as_tensorflow_1=True)
    output = analyze(rows["train"], schema, HERE / "transform_graph")
    for split in ROWS:
        records = [example(row, {**REQUIRED, **OPTIONAL}) for row in rows[split]]
        write(HERE / "raw", split, "data_tfrecord", records)
        write(HERE / "transformed", split, "transformed_examples", transformed(output, records))


if __name__ == "__main__":
    main()

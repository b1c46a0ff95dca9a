"""TensorFlow's side of training_bench's part `input`: batches a second of a tf.data pipeline.

    tf_data_peer.py KIND PATTERN BATCH files|memory SECONDS
"""

import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402  (the level must be set first)


def features(kind):
    """What to parse, as tests/bench/training_data.cc writes it."""
    def one(kind_of_value, default):
        return tf.io.FixedLenFeature([], kind_of_value, default_value=default)

    if kind == "penguin":
        numbers = ["culmen_length_mm", "culmen_depth_mm", "flipper_length_mm", "ratio"]
        spec = {name: one(tf.float32, float("nan")) for name in numbers}
        spec["body_mass_g"] = one(tf.int64, 0)
        spec.update({name: one(tf.string, "") for name in ("island", "sex")})
        spec["species"] = tf.io.FixedLenFeature([], tf.string)
        return spec
    spec = {"number_%d" % i: one(tf.float32, float("nan")) for i in range(13)}
    spec.update({"word_%d" % i: one(tf.string, "") for i in range(26)})
    spec["label"] = tf.io.FixedLenFeature([], tf.int64)
    return spec


def pipeline(kind, pattern, batch, from_memory):
    """Files interleaved, shuffled, repeated, parsed a batch at a time, with every AUTOTUNE there is."""
    files = tf.data.Dataset.list_files(pattern, seed=1)
    records = files.interleave(
        lambda path: tf.data.TFRecordDataset(path, compression_type="GZIP"),
        cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE)
    if from_memory:
        records = records.cache()
    spec = features(kind)
    return (records.shuffle(1000).repeat().batch(batch, drop_remainder=True)
            .map(lambda serialized: tf.io.parse_example(serialized, spec), num_parallel_calls=tf.data.AUTOTUNE)
            .prefetch(tf.data.AUTOTUNE))


def count_examples(pattern):
    records = tf.data.TFRecordDataset(tf.io.gfile.glob(pattern), compression_type="GZIP")
    return int(records.batch(1000).reduce(0, lambda count, batch: count + tf.size(batch)))


def main():
    kind, pattern, batch, source, seconds = sys.argv[1:]
    batch, seconds, from_memory = int(batch), float(seconds), source == "memory"
    # Iterating in the graph leaves Python's own loop out of the measure.
    batches = pipeline(kind, pattern, batch, from_memory)
    label = "species" if kind == "penguin" else "label"

    iterator = iter(batches)

    @tf.function
    def read(count):
        read_examples = tf.constant(0)
        for _ in tf.range(count):
            read_examples += tf.size(next(iterator)[label])
        return read_examples

    warm_up = count_examples(pattern) // batch + 1 if from_memory else 200
    read(tf.constant(warm_up))
    done, start, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        read(tf.constant(100))
        done += 100
    print(json.dumps({"batches_per_second": done / (time.perf_counter() - start),
                      "batches_per_cpu_second": done / (time.process_time() - cpu)}))


if __name__ == "__main__":
    main()

"""Keras's side of training_bench's part `training`: steps a second of `fit`, after its first epoch.

    keras_peer.py KIND PATTERN BATCH STEPS WARM STEPS_PER_EXECUTION
"""

import json
import os
import resource
import sys
import time

START = time.time()  # The interpreter took about 20 ms before.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras  # noqa: E402  (the level must be set first)
import tensorflow as tf  # noqa: E402

from tf_data_peer import features  # noqa: E402

BUCKETS = 10_000
WORDS = {"island": ["Biscoe", "Dream", "Torgersen"], "sex": ["FEMALE", "MALE"]}
SPECIES = ["Adelie", "Chinstrap", "Gentoo"]


def place(words, values):
    """One-hot rows of the places of `values` in `words`."""
    return tf.cast(tf.equal(tf.expand_dims(values, 1), tf.constant([words])), tf.float32)


def encode_penguin(parsed):
    numbers = [parsed[name] for name in ("culmen_length_mm", "culmen_depth_mm", "flipper_length_mm", "ratio")]
    numbers.append((tf.cast(parsed["body_mass_g"], tf.float32) - 4500) / 860)
    words = [place(words, parsed[name]) for name, words in WORDS.items()]
    label = tf.argmax(place(SPECIES, parsed["species"]), axis=1)
    return tf.concat([tf.stack(numbers, axis=1)] + words, axis=1), label


def encode_wide(parsed):
    numbers = tf.stack([parsed["number_%d" % i] for i in range(13)], axis=1)
    words = tf.stack([parsed["word_%d" % i] for i in range(26)], axis=1)
    return (numbers, tf.strings.to_hash_bucket_fast(words, BUCKETS) + 1), parsed["label"]


def batches(kind, pattern, batch):
    """Files interleaved, parsed and encoded a batch at a time, kept in memory as batches after the first epoch: faster here
    than keeping examples."""
    files = tf.data.Dataset.list_files(pattern, seed=1)
    records = files.interleave(lambda path: tf.data.TFRecordDataset(path, compression_type="GZIP"),
                               cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE)
    spec = features(kind)
    encode = encode_penguin if kind == "penguin" else encode_wide
    return (records.shuffle(1000).batch(batch, drop_remainder=True)
            .map(lambda serialized: encode(tf.io.parse_example(serialized, spec)), num_parallel_calls=tf.data.AUTOTUNE)
            .cache().repeat().prefetch(tf.data.AUTOTUNE))


def penguin_model():
    inputs = keras.Input((10,))
    layer = inputs
    for units in (16, 16):
        layer = keras.layers.Dense(units, activation="relu")(layer)
    return keras.Model(inputs, keras.layers.Dense(3)(layer))


def wide_model():
    numbers, ids = keras.Input((13,)), keras.Input((26,), dtype="int64")
    columns = [ids[:, i] for i in range(26)]
    deep = keras.layers.concatenate([numbers] + [keras.layers.Embedding(BUCKETS + 1, 8)(column) for column in columns])
    for units in (64, 32):
        deep = keras.layers.Dense(units, activation="relu")(deep)
    wide = [keras.layers.Embedding(BUCKETS + 1, 2)(column) for column in columns]
    return keras.Model([numbers, ids], keras.layers.add([keras.layers.Dense(2)(deep)] + wide))


class Clock(keras.callbacks.Callback):
    """When the first step and each epoch ended."""

    def __init__(self):
        super().__init__()
        self.first_step = None
        self.first_step_cpu = None
        self.epochs = []

    def on_train_batch_end(self, batch, logs=None):
        if self.first_step is None:
            self.first_step = time.time() - START
            self.first_step_cpu = time.process_time()

    def on_epoch_end(self, epoch, logs=None):
        self.epochs.append(time.time())


def main():
    kind, pattern = sys.argv[1:3]
    batch, steps, warm, at_once = map(int, sys.argv[3:])
    model = penguin_model() if kind == "penguin" else wide_model()
    optimizer = keras.optimizers.Adam(0.003) if kind == "penguin" else keras.optimizers.Adagrad(0.01)
    model.compile(optimizer=optimizer, loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"], steps_per_execution=at_once)
    clock = Clock()
    # An epoch of Keras's is as many steps as are measured; those that fill its memory come before.
    model.fit(batches(kind, pattern, batch), epochs=-(-warm // steps) + 3, steps_per_epoch=steps, verbose=0, callbacks=[clock])
    spent = min(end - begin for begin, end in zip(clock.epochs[-3:], clock.epochs[-2:]))
    print(json.dumps({"steps_per_second": steps / spent, "first_step_seconds": clock.first_step,
                      "first_step_cpu_seconds": clock.first_step_cpu,
                      "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main()

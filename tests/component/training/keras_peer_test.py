"""Trains models in rekindle-trainer and in Keras from the same weights on the same batches: the weights must stay equal.

    keras_peer_test.py TRAINER
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf

TRAINER = sys.argv.pop(1)
EXAMPLES = 320
BATCH = 32
STEPS = 45  # more than four epochs
COLORS = ["blue", "green", "red"]
TAGS = ["a", "b", "c", "d", "e"]
CLASSES = ["no", "perhaps", "yes"]
CITIES = 100  # buckets
HIDDEN = [8, 6]
CITY_DIM = 7

SCHEMA = """
feature { name: "x" type: FLOAT }
feature { name: "y" type: FLOAT }
feature { name: "color" type: BYTES string_domain { %s } }
feature { name: "city" type: BYTES }
feature { name: "tags" type: BYTES value_count { min: 0 max: 4 } string_domain { %s } }
feature { name: "class" type: BYTES string_domain { %s } }
feature { name: "number" type: FLOAT }
""" % tuple(" ".join('value: "%s"' % word for word in words) for words in (COLORS, TAGS, CLASSES))

WEIGHT_DECAY = 0.1


class AdamWeightDecay:
    """Model Garden's adamw, which Keras does not have: all that is not a bias decays before Adam's step."""

    def __init__(self, rate):
        self.rate = rate
        self.adam = keras.optimizers.Adam(rate, global_clipnorm=1.0)

    def build(self, variables):
        self.adam.build(variables)

    def apply_gradients(self, gradients_and_variables):
        for _, variable in gradients_and_variables:
            if not variable.path.endswith("bias"):
                variable.assign_sub(self.rate * WEIGHT_DECAY * variable)
        self.adam.apply_gradients(gradients_and_variables)


OPTIMIZERS = {
    "sgd": ({"type": "sgd"}, lambda rate: keras.optimizers.SGD(rate)),
    "momentum": ({"type": "sgd", "sgd": {"momentum": 0.9}}, lambda rate: keras.optimizers.SGD(rate, momentum=0.9)),
    "nesterov": ({"type": "sgd", "sgd": {"momentum": 0.8, "nesterov": True, "global_clipnorm": 0.5}},
                 lambda rate: keras.optimizers.SGD(rate, momentum=0.8, nesterov=True, global_clipnorm=0.5)),
    "adam": ({"type": "adam"}, lambda rate: keras.optimizers.Adam(rate)),
    "adamw": ({"type": "adamw", "adamw": {"weight_decay_rate": WEIGHT_DECAY, "exclude_from_weight_decay": ["bias"]}},
              AdamWeightDecay),
    "adagrad": ({"type": "adagrad"}, lambda rate: keras.optimizers.Adagrad(rate)),
    "rmsprop": ({"type": "rmsprop", "rmsprop": {"momentum": 0.5}},
                lambda rate: keras.optimizers.RMSprop(rate, momentum=0.5)),
}


def feature(values):
    if not values:
        return None
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value.encode() for value in values]))


class Table:
    """Random rows: as a file of examples, and as what a network gets of them."""

    def __init__(self, folder):
        random = np.random.default_rng(7)
        self.rows = []
        for _ in range(EXAMPLES):
            maybe = lambda values: values if random.random() < 0.9 else []
            self.rows.append({
                "x": maybe([float(random.normal(3, 2))]), "y": maybe([float(random.normal(-1, 0.5))]),
                "color": maybe([str(random.choice(COLORS))]), "city": maybe(["city %d" % random.integers(60)]),
                "tags": [str(tag) for tag in random.choice(TAGS, random.integers(0, 5))],
                "class": [str(random.choice(CLASSES))], "number": [float(random.normal())]})
        with tf.io.TFRecordWriter(str(folder / "rows.tfrecord")) as writer:
            for row in self.rows:
                features = {name: feature(values) for name, values in row.items()}
                writer.write(tf.train.Example(features=tf.train.Features(
                    feature={name: value for name, value in features.items() if value})).SerializeToString())
        (folder / "schema.pbtxt").write_text(SCHEMA)

    def column(self, name, of_values):
        return np.array([of_values(row[name]) for row in self.rows])

    def tensors(self, mean, variance):
        numeric = np.stack([self.column(name, lambda values: values[0] if values else np.nan) for name in "xy"], axis=1)
        scaled = (numeric - mean) / np.sqrt(variance)
        shares = lambda words: lambda values: [values.count(word) / max(len(values), 1) for word in words]
        one = lambda ids: lambda values: ids(values[0]) + 1 if values else 0
        return {
            "deep": np.concatenate([np.where(np.isnan(numeric), 0, scaled), self.column("color", shares(COLORS))],
                                   axis=1).astype("float32"),
            "tags": self.column("tags", shares(TAGS)).astype("float32"),
            "color": self.column("color", one(COLORS.index)),
            "city": self.column("city", one(lambda city: int(tf.strings.to_hash_bucket_fast(city, CITIES)))),
            "class": self.column("class", lambda values: CLASSES.index(values[0])),
            "number": self.column("number", lambda values: values[0]).astype("float32")}


def first_weights(outputs, wide):
    random = np.random.default_rng(11)
    normal = lambda *shape: random.normal(0, 0.3, shape).astype("float32")
    widths = [2 + len(COLORS) + CITY_DIM + len(TAGS)] + HIDDEN + [outputs]
    weights = {"normalization/mean": np.float32([2.5, -1]), "normalization/variance": np.float32([4, 0.3]),
               "embedding/city": normal(CITIES + 1, CITY_DIM)}
    for index, name in enumerate(["dense", "dense_1", "logits"]):
        weights[name + "/kernel"] = normal(widths[index], widths[index + 1])
        weights[name + "/bias"] = normal(widths[index + 1])
    if wide:
        weights.update({"wide/color": normal(len(COLORS) + 1, outputs), "wide/city": normal(CITIES + 1, outputs),
                        "wide/tags": normal(len(TAGS) + 1, outputs)})
    return weights


class KerasModel:
    """The same network of Keras's layers, by the names of our variables."""

    def __init__(self, weights, classes):
        self.classes = classes
        self.layers = {}
        for name, value in weights.items():
            if name.endswith("/kernel"):
                layer = keras.layers.Dense(value.shape[1], activation=None if name.startswith("logits") else "relu")
                layer.build((None, value.shape[0]))
                layer.set_weights([value, weights[name.replace("kernel", "bias")]])
                self.layers[name[:-len("/kernel")]] = layer
            elif name.startswith(("embedding/", "wide/")):
                layer = keras.layers.Embedding(*value.shape)
                layer.build((None,))
                layer.set_weights([value])
                self.layers[name] = layer

    def loss(self, batch):
        parts = [batch["deep"], self.layers["embedding/city"](batch["city"]), batch["tags"]]
        value = tf.concat(parts, axis=1)
        for name in ["dense", "dense_1", "logits"]:
            value = self.layers[name](value)
        if "wide/city" in self.layers:
            value += self.layers["wide/color"](batch["color"]) + self.layers["wide/city"](batch["city"])
            # Row 0 of the table is of missing values, which a list does not have.
            value += tf.matmul(batch["tags"], self.layers["wide/tags"].embeddings[1:])
        if self.classes:
            return tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(batch["class"], value, from_logits=True))
        return tf.reduce_mean((value[:, 0] - batch["number"]) ** 2)

    def train(self, tensors, optimizer):
        variables = [variable for layer in self.layers.values() for variable in layer.trainable_variables]
        optimizer.build(variables)

        @tf.function
        def step(batch):
            with tf.GradientTape() as tape:
                loss = self.loss(batch)
            # As whole tensors: of a row that occurs twice in a batch Keras adds up the squares of its gradients, where the
            # rule has the square of their sum.
            gradients = [tf.convert_to_tensor(g) for g in tape.gradient(loss, [v.value for v in variables])]
            optimizer.apply_gradients(list(zip(gradients, variables)))

        for number in range(STEPS):
            rows = np.arange(number * BATCH, (number + 1) * BATCH) % EXAMPLES
            step({name: tf.constant(values[rows]) for name, values in tensors.items()})

    def weights(self):
        found = {}
        for name, layer in self.layers.items():
            values = layer.get_weights()
            if len(values) == 1:
                found[name] = values[0]
            else:
                found[name + "/kernel"], found[name + "/bias"] = values
        return found


class KerasPeerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.temporary.name)
        cls.table = Table(cls.dir)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def ours(self, name, experiment, weights, wide, optimizer, rate):
        start = str(self.dir / name / "start")
        os.makedirs(self.dir / name)
        tf.raw_ops.SaveV2(prefix=start, tensor_names=list(weights), shape_and_slices=[""] * len(weights),
                          tensors=[tf.constant(value) for value in weights.values()])
        architecture = {"hidden_units": HIDDEN}
        settings = {
            "task": {"label_key": "class" if experiment == "classification" else "number",
                     "schema_path": str(self.dir / "schema.pbtxt"), "init_checkpoint": start,
                     "features": {"city": {"hash_buckets": CITIES, "embedding_dim": CITY_DIM},
                                  "number" if experiment == "classification" else "class": {"ignore": True}},
                     "model": {"type": "wide_deep" if wide else "dnn", "wide_deep" if wide else "dnn": architecture},
                     "train_data": {"input_path": str(self.dir / "rows.tfrecord"), "global_batch_size": BATCH,
                                    "shuffle_buffer_size": 1}},
            "trainer": {"train_steps": STEPS, "optimizer_config": {
                "optimizer": optimizer, "learning_rate": {"type": "constant", "constant": {"learning_rate": rate}}}}}
        done = subprocess.run(
            [TRAINER, "--experiment=tabular/" + experiment, "--mode=train", "--model_dir=%s" % (self.dir / name),
             "--params_override=" + json.dumps(settings)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        reader = tf.train.load_checkpoint(str(self.dir / name / ("ckpt-%d" % STEPS)))
        return {variable: reader.get_tensor(variable) for variable in weights}

    def compare(self, experiment, wide, optimizer_name):
        optimizer, make_keras = OPTIMIZERS[optimizer_name]
        rate = 0.01 if optimizer_name in ("adam", "adamw", "rmsprop") else 0.05
        classes = experiment == "classification"
        weights = first_weights(len(CLASSES) if classes else 1, wide)
        name = "%s-%s-%s" % (experiment, "wide_deep" if wide else "dnn", optimizer_name)
        ours = self.ours(name, experiment, weights, wide, optimizer, rate)
        peer = KerasModel(weights, classes)
        peer.train(self.table.tensors(weights["normalization/mean"], weights["normalization/variance"]), make_keras(rate))
        for variable, value in peer.weights().items():
            np.testing.assert_allclose(ours[variable], value, atol=1e-4, rtol=1e-4, err_msg=variable)
            self.assertGreater(np.abs(value - weights[variable]).max(), 5e-4, variable + " was not trained")

    def test_every_task_model_and_optimizer(self):
        for experiment in ("classification", "regression"):
            for wide in (False, True):
                for optimizer in OPTIMIZERS:
                    with self.subTest(experiment=experiment, wide=wide, optimizer=optimizer):
                        self.compare(experiment, wide, optimizer)


if __name__ == "__main__":
    unittest.main()

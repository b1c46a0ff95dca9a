"""Python TensorFlow serves what rekindle-trainer exports behind a transform graph, with tensorflow_transform's features."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402  (the level must be set first)

FIXTURE = pathlib.Path(sys.argv.pop(2))
TRAINER = sys.argv.pop(1)
STYLES = ["graph", "graph_v1"]
# About as far as penguins go, and a bit beyond.
NUMBERS = {"bill_length_mm": (25, 65), "bill_depth_mm": (10, 25), "flipper_length_mm": (160, 250), "body_mass_g": (2000, 7000)}
# The fixture's raw features, as make.py has them.
RAW_SPEC = {
    "species": tf.io.FixedLenFeature([], tf.string),
    "island": tf.io.FixedLenFeature([], tf.string),
    "year": tf.io.FixedLenFeature([1], tf.int64),
    "sex": tf.io.VarLenFeature(tf.string),
    "seen": tf.io.VarLenFeature(tf.string),
    **{name: tf.io.VarLenFeature(tf.float32) for name in NUMBERS},
}
KINDS = {"float_list": np.float32, "int64_list": np.int64, "bytes_list": object}


def records(kind, split="eval"):
    files = tf.io.gfile.glob(str(FIXTURE / kind / f"Split-{split}" / "*"))
    return [record.numpy() for record in tf.data.TFRecordDataset(files, compression_type="GZIP")]


def example_of(values):
    """A serialized tf.Example of lists of values by name."""
    example = tf.train.Example()
    for name, listed in values.items():
        feature = example.features.feature[name]
        for value in listed:
            kind = {bytes: feature.bytes_list, int: feature.int64_list, float: feature.float_list}[type(value)]
            kind.value.append(value)
    return example.SerializeToString()


def random_raw(rng):
    """A penguin with missing values, words that no vocabulary has, and a list of any length."""
    words = [b"Biscoe", b"Dream", b"Torgersen", b"male", b"female", b"2008", b"Atlantis", b"", "Ånd".encode()]
    values = {name: [rng.uniform(*bounds)] for name, bounds in NUMBERS.items() if rng.random() < 0.7}
    values.update(species=[rng.choice([b"Adelie", b"Gentoo", b"Dodo"])], island=[rng.choice(words)],
                  year=[rng.randint(2000, 2015)], seen=rng.choices(words, k=rng.randint(0, 5)))
    if rng.random() < 0.7:
        values["sex"] = [rng.choice(words)]
    return values


def parsed(example):
    """A serialized example's values, by name."""
    features = tf.train.Example.FromString(example).features.feature
    return {name: np.array(getattr(feature, feature.WhichOneof("kind")).value, KINDS[feature.WhichOneof("kind")])
            for name, feature in features.items() if feature.WhichOneof("kind")}


def rows(features, count):
    """Per example what transform_features gave of it: a list of values by name."""
    out = [{} for _ in range(count)]
    for name, tensor in features.items():
        array = tensor.numpy()
        if "/" not in name:
            for row in range(count):
                out[row][name] = array[row:row + 1].reshape(-1)
        elif name.endswith("/values"):
            indices = features[name.replace("/values", "/indices")].numpy()
            for row in range(count):
                out[row][name.removesuffix("/values")] = array[indices[:, 0] == row]
    return out


def directly(raw):
    """transform_fn called in Python on serialized raw examples, in the form of transform_features."""
    transform = tf.saved_model.load(str(FIXTURE / "graph" / "transform_fn")).transform_fn
    given = transform(tf.io.parse_example(tf.constant(raw), RAW_SPEC))
    features = {}
    for name, value in given.items():
        if isinstance(value, tf.SparseTensor):
            features.update({f"{name}/indices": value.indices, f"{name}/values": value.values})
        else:
            features[name] = value
    return rows(features, len(raw))


class TransformPeerTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.temporary.name)
        cls.models = {style: cls.train(style) for style in STYLES}
        seed = random.randrange(1 << 30)
        print(f"seed {seed}", file=sys.stderr)
        rng = random.Random(seed)
        cls.values = [random_raw(rng) for _ in range(200)]
        cls.raw = [example_of(values) for values in cls.values]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def train(cls, style):
        """Trains on transformed examples; the exported model, loaded by Python."""
        run = cls.dir / style
        run.mkdir()
        given = {name: "" for name in ("pipeline", "run_id", "node_id", "schema_path", "eval_model_dir", "base_model", "deadline",
                                       "progress_path")}
        given.update(
            execution_id=0, train_files=[str(FIXTURE / "transformed/Split-train/*")],
            eval_files=[str(FIXTURE / "transformed/Split-eval/*")], train_steps=50, eval_steps=None,
            transform_graph_path=str(FIXTURE / style), serving_model_dir=str(run / "model"), model_run_dir=str(run / "run"),
            num_examples={}, hyperparameters=None, custom_config={"label_key": "species", "learning_rate": 0.01},
            output_path=str(run / "output.json"))
        (run / "input.json").write_text(json.dumps(given))
        subprocess.run([TRAINER, f"--executor_input={run}/input.json"], check=True, stdout=subprocess.DEVNULL)
        return tf.saved_model.load(str(run / "model"))

    def ask(self, style, signature, examples):
        return self.models[style].signatures[signature](examples=tf.constant(examples))

    def assert_same_features(self, ours, theirs):
        """Every feature of ours is theirs, example for example."""
        self.assertEqual(len(ours), len(theirs))
        for row, (our, their) in enumerate(zip(ours, theirs)):
            for name, values in our.items():
                expected = their.get(name, np.array([]))
                self.assertEqual(len(values), len(expected), (row, name, values, expected))
                if values.dtype == object:
                    self.assertEqual(list(values), list(expected), (row, name))
                else:
                    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6, err_msg=f"{row} {name}")

    def test_features_of_the_fixture_are_those_that_tensorflow_transform_wrote(self):
        raw = records("raw")
        expected = [parsed(example) for example in records("transformed")]
        for style in STYLES:
            with self.subTest(style):
                features = rows(self.ask(style, "transform_features", raw), len(raw))
                self.assertEqual({"half_depth", "seen", "species"} - features[0].keys(),
                                 set() if style == "graph" else {"half_depth"})
                self.assert_same_features(features, expected)

    def test_features_of_random_examples_are_those_of_transform_fn(self):
        expected = directly(self.raw)
        for style in STYLES:
            with self.subTest(style):
                features = rows(self.ask(style, "transform_features", self.raw), len(self.raw))
                self.assert_same_features(features, expected)

    def test_raw_examples_are_answered_as_their_transformed_ones(self):
        transformed = [example_of({name: [v.item() if hasattr(v, "item") else v for v in values]
                                   for name, values in row.items()}) for row in directly(self.raw)]
        for style in STYLES:
            with self.subTest(style):
                expected = self.ask(style, "serving_transformed", transformed)["scores"].numpy()
                np.testing.assert_allclose(self.ask(style, "serving_default", self.raw)["scores"].numpy(), expected, atol=1e-5)

    def test_raw_tensors_are_answered_as_raw_examples(self):
        for style in STYLES:
            with self.subTest(style):
                signature = self.models[style].signatures["serving_raw"]
                tensors = self.raw_tensors(signature.structured_input_signature[1])
                np.testing.assert_allclose(signature(**tensors)["scores"].numpy(),
                                           self.ask(style, "serving_default", self.raw)["scores"].numpy(), atol=1e-6)

    def raw_tensors(self, inputs):
        """The random examples as the tensors that serving_raw takes."""
        tensors = {}
        for name, spec in inputs.items():
            if name.endswith("/row_splits"):
                continue
            lists = [values.get(name, []) for values in self.values]
            flat = tf.constant([value for listed in lists for value in listed], spec.dtype)
            if f"{name}/row_splits" in inputs:
                tensors[f"{name}/row_splits"] = tf.constant(np.cumsum([0] + [len(listed) for listed in lists]), tf.int64)
            tensors[name] = flat if spec.shape.rank == 1 else tf.reshape(flat, [len(lists), -1])
        return tensors

    def test_our_own_loader_gives_the_same_answers(self):
        file = str(self.dir / "random.tfrecord")
        with tf.io.TFRecordWriter(file) as writer:
            for example in self.raw:
                writer.write(example)
        for style in STYLES:
            with self.subTest(style):
                lines = subprocess.run([TRAINER, "--mode=predict", f"--saved_model={self.dir / style / 'model'}",
                                        f"--examples={file}"], check=True, capture_output=True, text=True).stdout.splitlines()
                np.testing.assert_allclose([json.loads(line)["scores"] for line in lines],
                                           self.ask(style, "serving_default", self.raw)["scores"].numpy(), atol=1e-6)

    def test_an_export_moves_with_its_files(self):
        for style in STYLES:
            with self.subTest(style):
                moved = self.dir / style / "moved"
                (self.dir / style / "model").rename(moved)
                self.addCleanup(moved.rename, self.dir / style / "model")
                again = tf.saved_model.load(str(moved)).signatures["serving_default"](examples=tf.constant(self.raw[:3]))
                np.testing.assert_array_equal(again["scores"].numpy(),
                                              self.ask(style, "serving_default", self.raw[:3])["scores"].numpy())


if __name__ == "__main__":
    unittest.main()

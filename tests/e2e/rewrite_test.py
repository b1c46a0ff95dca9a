"""Models rewritten for other runtimes: what `rekindle train --rewrite` publishes, and what cannot be rewritten.

Runs in the environment that has TensorFlow: its own interpreter does the rewriting.
"""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import tensorflow as tf

import workspace

FAILED, USAGE = 1, 2
SEED = 20261116

# A Keras model with random weights, of serialized examples and of tensors.
KERAS_MODULE = """
    import keras
    import tensorflow as tf

    MEASURES = ("bill_depth_mm", "bill_length_mm")

    def run_fn(fn_args):
        inputs = {name: keras.Input((1,), name=name) for name in MEASURES}
        hidden = keras.layers.Dense(8, activation="relu")(keras.layers.concatenate(list(inputs.values())))
        model = keras.Model(inputs, {"scores": keras.layers.Dense(3, activation="softmax")(hidden)})

        def of_examples(examples):
            spec = {name: tf.io.FixedLenFeature([1], tf.float32, 0.0) for name in MEASURES}
            return model(tf.io.parse_example(examples, spec))

        archive = keras.export.ExportArchive()
        archive.track(model)
        archive.add_endpoint("serving_default", of_examples, [tf.TensorSpec([None], tf.string, "examples")])
        archive.add_endpoint("measures", model.call,
                             [{name: tf.TensorSpec([None, 1], tf.float32, name) for name in MEASURES}])
        archive.write_out(fn_args.serving_model_dir, verbose=False)
"""


class Scorer(tf.Module):
    """A model of TensorFlow 2 with several signatures."""

    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def of_examples(self, examples):
        features = tf.io.parse_example(examples, {"bill_depth_mm": tf.io.FixedLenFeature([1], tf.float32, 0.0)})
        return self.of_numbers(features["bill_depth_mm"], features["bill_depth_mm"])

    @tf.function(input_signature=[tf.TensorSpec([None, 1], tf.float32, name="bill_depth_mm"),
                                  tf.TensorSpec([None, 1], tf.float32, name="no_such_feature")])
    def of_numbers(self, bill_depth_mm, no_such_feature):
        return {"scores": tf.concat([bill_depth_mm, no_such_feature], 1) @ self.weights}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def of_protos(self, examples):
        return {"size": tf.io.decode_proto(examples, "tensorflow.Example", ["features"], [tf.string])[0]}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])
    def of_demanding(self, examples):
        return tf.io.parse_example(examples, {"not_there": tf.io.FixedLenFeature([1], tf.float32)})


def run_lite(file, signature, inputs):
    """What a TensorFlow Lite model answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tf.lite.Interpreter(model_path=str(file)).get_signature_runner(signature)(**inputs)


def random_inputs(signature, random, rows=5):
    """Values for a signature's inputs of numbers and words, by name."""
    inputs = {}
    for name, spec in signature.structured_input_signature[1].items():
        shape = [rows] + spec.shape.as_list()[1:]
        if spec.dtype == tf.string:
            inputs[name] = random.choice(np.array([b"Biscoe", b"Dream", b"male", b"nowhere", b""], dtype=object), shape)
        else:
            inputs[name] = (100 * random.normal(size=shape)).astype(spec.dtype.as_numpy_dtype)
    return inputs


class RewriteWorkspace(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.prepare()

    def train_step(self, run, rewrites, **flags):
        flags = {"pipeline": "penguin", "db": self.db, "pipeline_root": self.root, "run_id": run, "train_steps": 50,
                 "label_key": "species", "base_model": "none", "python": sys.executable, "output": "json", **flags}
        return self.run_command("train", *["--rewrite=" + rewrite for rewrite in rewrites], **flags)

    def trained(self, run, rewrites, **flags):
        return json.loads(self.ok(self.train_step(run, rewrites, **flags)).stdout)

    def assert_lite_answers_alike(self, folder, name):
        """On random inputs, which the rewriter has not tried."""
        signature = tf.saved_model.load(str(folder / "Format-Serving")).signatures[name]
        inputs = random_inputs(signature, np.random.default_rng(SEED))
        expected = signature(**{key: tf.constant(values) for key, values in inputs.items()})
        actual = run_lite(folder / "Format-TFLite" / "tflite", name, inputs)
        self.assertEqual(set(actual), set(expected))
        for key, values in expected.items():
            if values.dtype.is_floating:
                np.testing.assert_allclose(actual[key], values.numpy(), atol=1e-4)
            else:
                np.testing.assert_array_equal(actual[key], values.numpy())

    def signatures_of(self, folder):
        return sorted(tf.saved_model.load(str(folder)).signatures)


class NativeModelTest(RewriteWorkspace):

    def test_the_artifact_holds_the_original_and_what_was_made_of_it(self):
        rewrites = ["tflite", "saved_model:serving_raw"]
        report = self.trained("r1", rewrites)
        model = report["outputs"]["model"]
        folder = pathlib.Path(model["uri"])
        self.assertEqual(sorted(os.listdir(folder)), ["Format-SavedModel", "Format-Serving", "Format-TFLite"])
        self.assertEqual(self.signatures_of(folder / "Format-Serving"), ["serving_default", "serving_raw"])
        self.assertEqual(self.signatures_of(folder / "Format-SavedModel"), ["serving_raw"])
        self.assert_lite_answers_alike(folder, "serving_raw")

        self.assertEqual(json.loads(self.stored("rewrite")), rewrites)
        recorded = json.loads(model["custom_properties"]["rewritten"])
        self.assertEqual([(one["kind"], one["folder"], one["signatures"]) for one in recorded],
                         [("tflite", "Format-TFLite", ["serving_raw"]),
                          ("saved_model", "Format-SavedModel", ["serving_raw"])])
        self.assertEqual(recorded[0]["bytes"], (folder / "Format-TFLite" / "tflite").stat().st_size)
        self.assertEqual(recorded[0]["tensorflow_version"], tf.__version__)
        self.assertLess(recorded[0]["largest_difference"], 1e-4)
        self.assert_rewriting_counts_for_the_cache(rewrites)

    def stored(self, name):
        """The newest execution's property."""
        with sqlite3.connect(self.db) as connection:
            return connection.execute("SELECT string_value FROM ExecutionProperty WHERE name = ? "
                                      "ORDER BY execution_id DESC LIMIT 1", (name,)).fetchone()[0]

    def assert_rewriting_counts_for_the_cache(self, rewrites):
        same = self.trained("r2", rewrites, dry_run="true")
        self.assertIn("execution_id", same["cache"])
        self.assertEqual(json.loads(same["parameters"]["rewrite"]), rewrites)
        fewer = self.trained("r2", rewrites[:1], dry_run="true")
        self.assertEqual(fewer["cache"]["nearest"]["differs_in"], ["parameter.rewrite"])
        other = self.trained("r2", rewrites, dry_run="true", python="/usr/bin/python3")
        self.assertIn("rewriter.tensorflow", other["cache"]["nearest"]["differs_in"])
        self.assertEqual(self.trained("r2", rewrites)["state"], "CACHED")

    def test_what_cannot_be_rewritten_is_not_published(self):
        bare = self.dir / "bare"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
        python = bare / "bin" / "python"
        for rewrite, flags, reason, sentence in [
                ("tflite:serving_rwa", {}, "REWRITE_FAILED", "no signature 'serving_rwa'; did you mean 'serving_raw'?"),
                ("tflite:serving_default", {}, "REWRITE_FAILED", "needs TensorFlow's own ParseExample"),
                ("tflite", {"python": python}, "PACKAGE_MISSING", "%s -m pip install tensorflow" % python),
                ("tflite", {"python": "/bin/true"}, "CHILD_CANNOT_START", "'/bin/true' is no Python interpreter"),
                ("tflite", {"python": self.dir / "none"}, "CHILD_CANNOT_START", "--python or REKINDLE_PYTHON")]:
            with self.subTest(rewrite=rewrite, **flags):
                result = self.train_step("r%d" % self.rows("Execution"), [rewrite], **flags)
                self.assert_refused(result, FAILED, sentence, "[%s]" % reason)
                self.assert_recorded(reason)
                self.assertEqual(self.published("Trainer", "model"), [])
        self.assertEqual(self.query("list", "artifacts", "--type=Model"), [])

    def test_what_is_no_rewriting_is_refused_before_anything_is_done(self):
        before = self.rows("Execution")
        for rewrites, sentence in [(["tflit"], "--rewrite: there is no 'tflit'; did you mean 'tflite'?"),
                                   (["saved_model:a,,b"], "has an empty signature"),
                                   (["tflite:a,b"], "a TensorFlow Lite model has one"),
                                   (["tflite", "tflite:serving_raw"], "'tflite' is given twice")]:
            with self.subTest(rewrites=rewrites):
                self.assert_refused(self.train_step("r2", rewrites), USAGE, sentence)
        self.assertEqual(self.rows("Execution"), before)


class KerasModuleTest(RewriteWorkspace):

    def test_the_model_of_a_python_module(self):
        module = self.dir / "keras_module.py"
        module.write_text(textwrap.dedent(KERAS_MODULE))
        report = self.trained("r1", ["tflite:measures", "saved_model"], module_file=module)
        folder = pathlib.Path(report["outputs"]["model"]["uri"])
        self.assert_lite_answers_alike(folder, "measures")
        self.assertEqual(self.signatures_of(folder / "Format-SavedModel"), ["serving_default"])


class RewritersTest(RewriteWorkspace):
    """The rewriters themselves, on a model of TensorFlow 2."""

    def setUp(self):
        super().setUp()
        model = Scorer()
        tf.saved_model.save(model, str(self.dir / "model" / "Format-Serving"), signatures={
            "serving_default": model.of_examples, "numbers": model.of_numbers, "protos": model.of_protos,
            "demanding": model.of_demanding})
        sys.path.insert(0, str(workspace.BIN.parent / "lib" / "rekindle" / "python"))
        self.addCleanup(sys.path.pop, 0)

    def rewrite(self, *rewrites, tried=True):
        """The answer of rewrite_model.py."""
        from rekindle_rewrite import command  # pylint: disable=import-outside-toplevel

        answer = self.dir / "answer.json"
        [examples] = self.root.glob("CsvExampleGen/examples/*/Split-eval")
        arguments = ["--model=%s" % (self.dir / "model"), "--answer=%s" % answer]
        arguments += ["--examples=%s/*" % examples] if tried else []
        code = command.main(arguments + ["--rewrite=" + rewrite for rewrite in rewrites])
        said = json.loads(answer.read_text())
        self.assertEqual(code, 0 if said["error"] is None else FAILED)
        return said

    def test_signatures_are_kept_dropped_and_converted(self):
        answer = self.rewrite("tflite:numbers", "saved_model:numbers,protos")
        self.assertIsNone(answer["error"])
        self.assertEqual(self.signatures_of(self.dir / "model" / "Format-SavedModel"), ["numbers", "protos"])
        self.assert_lite_answers_alike(self.dir / "model", "numbers")
        self.assertEqual(answer["rewritten"][0]["tensorflow_ops"], [])

    def test_a_signature_that_cannot_be_rewritten_is_named_with_the_reason(self):
        for rewrite, sentence in [
                ("tflite:protos", "signature 'protos' cannot be converted: TensorFlow Lite has no DecodeProtoV2"),
                ("tflite", "signature 'serving_default' does not run: it needs TensorFlow's own ParseExampleV2"),
                ("saved_model:demanding", "signature 'demanding' cannot be asked"),
                ("saved_model:numbres", "the model has no signature 'numbres'; did you mean 'numbers'?")]:
            with self.subTest(rewrite=rewrite):
                error = self.rewrite(rewrite)["error"]
                self.assertIn("--rewrite %s: " % rewrite, error["message"])
                self.assertIn(sentence, error["message"])
                self.assertEqual(error["reason"], "REWRITE_FAILED")
                self.assertNotIn("Format-TFLite", os.listdir(self.dir / "model"))

    def test_untried_it_is_published_with_what_it_needs(self):
        [lite] = self.rewrite("tflite:serving_default", tried=False)["rewritten"]
        self.assertIsNone(lite["largest_difference"])
        self.assertEqual(lite["tensorflow_ops"], ["ParseExampleV2"])

    def test_answers_that_differ_are_found(self):
        from rekindle_module import failure  # pylint: disable=import-outside-toplevel
        from rekindle_rewrite import probe  # pylint: disable=import-outside-toplevel

        random = np.random.default_rng(SEED)
        for _ in range(200):
            shape = random.integers(1, 4, size=random.integers(0, 3))
            expected = np.asarray(random.normal(size=shape) * 10.0 ** random.integers(-3, 6))
            scale = np.maximum(1.0, np.abs(expected))
            off = np.where(random.random(shape) < 0.5, 0.9e-4, 0.0) * scale
            self.assertLessEqual(probe.largest_difference({"y": expected}, {"y": expected + off}), 1e-4)
            for wrong in (expected + 1.2e-4 * scale, expected * np.nan, expected[None], np.full(shape, np.inf)):
                with self.assertRaises(failure.Failure):
                    probe.largest_difference({"y": expected}, {"y": wrong})
        with self.assertRaises(failure.Failure):
            probe.largest_difference({"y": np.array([b"a"], object)}, {"y": np.array([b"b"], object)})
        with self.assertRaises(failure.Failure):
            probe.largest_difference({"y": np.zeros(1)}, {"z": np.zeros(1)})


if __name__ == "__main__":
    workspace.main()

"""What becomes of the things that a trainer_fn may return: estimator_executor_test.py LIBRARY, in TensorFlow 2.15."""

import os
import pathlib
import sys
import tempfile
import types
import unittest

import tensorflow as tf

LIBRARY = sys.argv.pop(1)
sys.path += [LIBRARY, os.path.join(LIBRARY, "shims")]
from rekindle_module import estimator_executor  # pylint: disable=wrong-import-position
from rekindle_module import failure  # pylint: disable=wrong-import-position


def model_fn(features, labels, mode):
    """A line through the origin."""
    weight = tf.compat.v1.get_variable("weight", [], initializer=tf.zeros_initializer())
    predictions = {"y": weight * features["x"]}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions, export_outputs={
            "serving_default": tf.estimator.export.PredictOutput(predictions)})
    loss = tf.reduce_mean(tf.square(predictions["y"] - labels))
    step = tf.compat.v1.train.get_global_step()
    train = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, predictions, loss, train, eval_metric_ops={
        "none": tf.compat.v1.metrics.mean(float("nan")), "one": tf.compat.v1.metrics.mean(1.0)})


def input_fn():
    """Four batches, once."""
    return tf.data.Dataset.from_tensors(({"x": tf.constant([1.0, 2.0])}, tf.constant([3.0, 6.0]))).repeat(4)


def receiver_fn():
    x = tf.compat.v1.placeholder(tf.float32, [None])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def spec(model_dir, max_steps=None, exporters=(tf.estimator.FinalExporter("line", receiver_fn),)):
    return {"estimator": tf.estimator.Estimator(model_fn, model_dir),
            "train_spec": tf.estimator.TrainSpec(input_fn, max_steps=max_steps),
            "eval_spec": tf.estimator.EvalSpec(input_fn, exporters=exporters)}


class EstimatorExecutorTest(unittest.TestCase):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = pathlib.Path(temporary.name)
        self.serving = self.dir / "model" / "Format-Serving"
        (self.dir / "run").mkdir()

    def run_trainer_fn(self, trainer_fn):
        module = types.SimpleNamespace(__file__="line.py", trainer_fn=trainer_fn)
        nothing = dict.fromkeys(("train_steps", "eval_steps", "hyperparameters", "custom_config", "num_examples"))
        return estimator_executor.run(module, {
            **nothing, "train_files": [], "eval_files": [], "schema_path": "", "transform_graph_path": "",
            "base_model": "", "serving_model_dir": str(self.serving), "eval_model_dir": str(self.dir / "model" / "Format-TFMA"),
            "model_run_dir": str(self.dir / "run")})

    def test_without_a_last_step_the_input_s_end_is_the_last(self):
        answer = self.run_trainer_fn(lambda args: spec(args.serving_model_dir))
        self.assertEqual((answer["global_step"], answer["resumed_from_step"]), (4, None))
        self.assertEqual(set(answer["metrics"]), {"loss", "one"})  # no NaN, no step
        served = tf.saved_model.load(str(self.serving)).signatures["serving_default"](x=tf.constant([1.0]))
        self.assertEqual(float(served["y"][0]), 3 - 3 / 2**4)  # each step halves the distance to 3
        self.assertEqual(os.listdir(self.dir / "model"), ["Format-Serving"])

    def test_a_model_dir_of_the_module_s_own_is_copied_into_the_run(self):
        self.run_trainer_fn(lambda args: spec(str(self.dir / "mine"), max_steps=2))
        self.assertTrue((self.dir / "run" / "Format-Serving" / "checkpoint").exists())
        self.assertTrue((self.dir / "mine" / "checkpoint").exists())

    def test_what_cannot_be_trained_is_refused_before_training(self):
        cases = ((lambda args: None, "has no estimator, train_spec, eval_spec"),
                 (lambda args: {"estimator": 1, "train_spec": 1}, "has no eval_spec"),
                 (lambda args: spec(args.serving_model_dir, exporters=None), "FinalExporter"),
                 (lambda args, schema: None, "--schema"))
        for trainer_fn, fragment in cases:
            with self.subTest(fragment), self.assertRaisesRegex(failure.Failure, fragment):
                self.run_trainer_fn(trainer_fn)
        self.assertEqual(os.listdir(self.dir / "run"), [])


if __name__ == "__main__":
    unittest.main()

"""Modules with an Estimator, and the ones they become: the examples of examples/python_module/taxi.

Run by the Python of an environment with TensorFlow 2.15, the last with Estimators: the modules run there, too.
"""

import json
import pathlib
import shutil
import sys

import workspace

TAXI = workspace.REPO / "examples" / "python_module" / "taxi"
GOLDEN = workspace.REPO / "tests" / "golden" / "taxi_transform"
FAILED = 1
# Takes one argument, gets custom_config's entries as others, and raises after training, until a file is there.
FRAGILE_MODULE = """
import os
import taxi_estimator
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.utils import io_utils

def trainer_fn(args):
  assert args.base_models == [] and args.repaired == args.custom_config['repaired']
  schema = io_utils.parse_pbtxt_file(args.schema_path, schema_pb2.Schema())
  spec = taxi_estimator.trainer_fn(args, schema)
  if not os.path.exists(args.repaired):
    spec['eval_input_receiver_fn'] = lambda: 1 // 0
  return spec
"""


class EstimatorModuleTest(workspace.Workspace):
    timeout = 300

    def setUp(self):
        super().setUp()
        for node, kind in (("schema", "Schema"), ("transform_graph", "TransformGraph"), ("transformed", "Examples")):
            self.report("import", run_id="data", node=node, type=kind, uri=GOLDEN / node)

    def flags(self, module, run, **flags):
        return {"run_id": run, "module_file": TAXI / module, "python": sys.executable, "transform_graph": "latest",
                "train_steps": 200, "eval_steps": 3, **flags}

    def train_taxi(self, module, run, **flags):
        return self.report("train", **self.flags(module, run, **flags))

    def assert_trained(self, report):
        """The model answers raw examples, each its own; the checkpoint is in the run. The answers."""
        model = model_of(report)
        run = pathlib.Path(report["outputs"]["model_run"]["uri"])
        served = serve(model, "predict")["probabilities"]
        self.assertEqual(served.shape, (100, 2))
        self.assertGreater(served.numpy()[:, 1].std(), 0.001)
        self.assertEqual(sorted(path.name for path in model.iterdir()), ["Format-Serving", "Format-TFMA"])
        self.assertTrue((run / "Format-Serving" / "checkpoint").exists())
        self.assertTrue(list(run.glob("Format-Serving/events.out.tfevents.*")))
        return served

    def assert_trained_to_be_evaluated(self, report):
        """And the SavedModel for evaluation predicts what the one for serving does."""
        served = self.assert_trained(report)
        evaluated = serve(model_of(report), "eval", "Format-TFMA", tags=["eval"])
        tensorflow().debugging.assert_near(served, evaluated["predictions/probabilities"])

    def assert_warm(self, cold, warm):
        """One step changes a weight of the deep part by a hundredth at most; new ones are as far apart as a fifth.

        FTRL, which trains the wide part, does not begin with the weights that it is given.
        """
        self.assertEqual(warm["inputs"]["base_model"][0]["id"], cold["outputs"]["model"]["id"])
        first, second = weights(model_of(cold)), weights(model_of(warm))
        self.assertEqual(set(first), set(second))
        for name, value in first.items():
            tensorflow().debugging.assert_near(value, second[name], atol=0.01, message=name)

    def test_trainer_fn(self):
        cold = self.train_taxi("taxi_estimator.py", "r1")
        self.assert_trained_to_be_evaluated(cold)
        properties = cold["outputs"]["model"]["custom_properties"]
        self.assertEqual(properties["global_step"], 200)
        self.assertGreater(properties["auc"], 0.8)
        warm = self.train_taxi("taxi_estimator.py", "r2", train_steps=1)
        self.assert_trained(warm)
        self.assert_warm(cold, warm)
        self.assertEqual(warm["outputs"]["model"]["custom_properties"]["warm_started_from"],
                         cold["outputs"]["model"]["id"])

    def test_run_fn_that_reuses_trainer_fn(self):
        cold = self.train_taxi("taxi_converted.py", "r1")
        self.assert_trained_to_be_evaluated(cold)
        warm = self.train_taxi("taxi_converted.py", "r2", train_steps=1)
        self.assert_trained(warm)
        self.assert_warm(cold, warm)

    def test_a_retry_goes_on_from_the_checkpoint(self):
        shutil.copytree(TAXI, self.dir / "taxi")
        (self.dir / "taxi" / "fragile.py").write_text(FRAGILE_MODULE)
        repaired = self.dir / "repaired"
        flags = self.flags(self.dir / "taxi" / "fragile.py", "r1", train_steps=10,
                           custom_config=json.dumps({"repaired": str(repaired)}))
        result = self.step("train", **flags)
        self.assertEqual(result.returncode, FAILED, result.stderr)
        self.assertIn("Traceback (most recent call last)", result.stderr)
        self.assertIn("ZeroDivisionError", result.stderr.splitlines()[-1])
        self.assertEqual(self.published("Trainer", "model"), [])
        repaired.touch()
        again = self.report("train", **flags)
        self.assertEqual(again["execution_properties"]["resumed_from_step"], 10)
        self.assertEqual(again["outputs"]["model"]["custom_properties"]["global_step"], 10)
        self.assert_trained(again)

    def test_keras_with_a_transform_graph(self):
        report = self.train_taxi("taxi_keras.py", "r1", train_steps=50)
        [answer] = serve(model_of(report), "serving_default").values()
        self.assertEqual(answer.shape, (100, 1))

    def test_a_tensorflow_without_estimators(self):
        result = self.step("train", **self.flags("taxi_estimator.py", "r1", python=PYTHON_WITHOUT_ESTIMATORS))
        self.assert_refused(result, FAILED, "taxi_estimator.py trains an Estimator", "has no tf.estimator",
                            "2.15 was the last", "--python", "run_fn(fn_args)")
        self.assert_recorded("MODULE_UNUSABLE")

    def test_a_function_that_is_asked_for_and_missing(self):
        result = self.step("train", **self.flags("taxi_keras.py", "r1", executor="estimator"))
        self.assert_refused(result, FAILED, "taxi_keras.py has no trainer_fn")
        result = self.step("train", **self.flags("taxi_estimator.py", "r2", executor="generic"))
        self.assert_refused(result, FAILED, "taxi_estimator.py has no run_fn")


def tensorflow():
    """TensorFlow, only once something has been trained."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    return tf


def model_of(report):
    return pathlib.Path(report["outputs"]["model"]["uri"])


def serve(model, signature, folder="Format-Serving", tags=None):
    """What the model answers to the raw examples of the eval split."""
    tf = tensorflow()
    files = [str(path) for path in GOLDEN.glob("raw/Split-eval/*")]
    examples = list(tf.data.TFRecordDataset(files, compression_type="GZIP").as_numpy_iterator())
    function = tf.saved_model.load(str(model / folder), tags=tags).signatures[signature]
    [name] = function.structured_input_signature[1]
    return function(**{name: tf.constant(examples)})


def weights(model):
    """The weights of the deep part of a SavedModel by name."""
    tf = tensorflow()
    path = str(model / "Format-Serving" / "variables" / "variables")
    names = [name for name, _ in tf.train.list_variables(path) if name.startswith("dnn/")]
    return {name: tf.train.load_variable(path, name) for name in names}


if __name__ == "__main__":
    PYTHON_WITHOUT_ESTIMATORS = pathlib.Path(sys.argv.pop(1)).absolute()
    workspace.main()

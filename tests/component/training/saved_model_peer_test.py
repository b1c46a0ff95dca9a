"""Python TensorFlow reads what rekindle-trainer writes: the SavedModel, with the same answers, and checkpoints."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402  (the level must be set first)

WRITE_DATA = sys.argv.pop(2)
TRAINER = sys.argv.pop(1)


class SavedModelPeerTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = cls.temporary.name
        subprocess.run([WRITE_DATA, folder], check=True)
        subprocess.run([TRAINER, f"--executor_input={folder}/executor_input.json"], check=True, stdout=subprocess.DEVNULL)
        cls.model = f"{folder}/run/model/Format-Serving"
        cls.model_run = f"{folder}/run/model_run"
        cls.examples = f"{folder}/Split-eval/*"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def serialized(self):
        files = tf.io.gfile.glob(self.examples)
        return [record.numpy() for record in tf.data.TFRecordDataset(files, compression_type="GZIP")]

    def our_answers(self):
        lines = subprocess.run(
            [TRAINER, "--mode=predict", f"--saved_model={self.model}", f"--examples={self.examples}"],
            check=True, capture_output=True, text=True).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_python_gives_the_same_answers(self):
        serve = tf.saved_model.load(self.model).signatures["serving_default"]
        theirs = serve(examples=tf.constant(self.serialized()))
        ours = self.our_answers()
        self.assertEqual(len(ours), 60)
        np.testing.assert_allclose(theirs["scores"].numpy(), [answer["scores"] for answer in ours], atol=1e-6)
        self.assertEqual(theirs["predicted"].numpy().astype(str).tolist(), [answer["predicted"] for answer in ours])
        self.assertEqual(theirs["classes"].numpy().astype(str).tolist(), [answer["classes"] for answer in ours])

    def test_python_finds_the_signature_and_the_variables(self):
        model = tf.saved_model.load(self.model)
        serve = model.signatures["serving_default"]
        _, inputs = serve.structured_input_signature
        self.assertEqual(inputs["examples"], tf.TensorSpec([None], tf.string, name="examples"))
        self.assertEqual(serve.structured_outputs["scores"].shape.as_list(), [None, 3])
        self.assertIn("dense/kernel:0", [variable.name for variable in model.variables])

    def test_python_reads_the_latest_checkpoint(self):
        latest = tf.train.latest_checkpoint(self.model_run)
        self.assertTrue(latest.endswith("ckpt-60"))
        checkpoint = tf.train.load_checkpoint(latest)
        self.assertEqual(checkpoint.get_tensor("global_step"), 60)
        exported = {variable.name: variable.numpy() for variable in tf.saved_model.load(self.model).variables}
        np.testing.assert_array_equal(checkpoint.get_tensor("dense/kernel"), exported["dense/kernel:0"])

    def test_a_model_that_python_wrote_warm_starts_ours_by_variable_name(self):
        kernel = tf.random.stateless_uniform([4, 16], seed=[1, 2])
        theirs = tf.Module()
        theirs.first = tf.Variable(kernel, name="dense/kernel")
        theirs.second = tf.Variable(tf.zeros([7]), name="dense/bias")
        tf.saved_model.save(theirs, f"{self.temporary.name}/theirs")
        report = self.warm_start_from(f"{self.temporary.name}/theirs")
        self.assertEqual(report["dense/kernel"], "restored")
        self.assertEqual(report["dense/bias"], "shape [7] in the base model, [16] here")
        self.assertEqual(report["logits/bias"], "not in the base model")

    def test_a_keras_model_warm_starts_ours_by_variable_name(self):
        inputs = tf.keras.Input([4])
        hidden = tf.keras.layers.Dense(16, name="dense")(inputs)
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(3, name="logits")(hidden))
        model.export(f"{self.temporary.name}/keras", verbose=False)
        report = self.warm_start_from(f"{self.temporary.name}/keras")
        self.assertEqual(report["dense/kernel"], "restored")
        self.assertEqual(report["dense_1/kernel"], "not in the base model")

    def warm_start_from(self, base_model):
        """What became of each variable when training starts from base_model."""
        folder = tempfile.mkdtemp(dir=self.temporary.name)
        with open(f"{self.temporary.name}/executor_input.json", encoding="utf-8") as file:
            executor_input = json.load(file)
        executor_input |= {"base_model": base_model, "train_steps": 1, "serving_model_dir": f"{folder}/model",
                           "model_run_dir": f"{folder}/model_run", "output_path": f"{folder}/output.json"}
        with open(f"{folder}/input.json", "w", encoding="utf-8") as file:
            json.dump(executor_input, file)
        subprocess.run([TRAINER, f"--executor_input={folder}/input.json"], check=True, stdout=subprocess.DEVNULL)
        with open(f"{folder}/output.json", encoding="utf-8") as file:
            variables = json.load(file)["warm_start"]["variables"]
        return {variable["name"]: variable["reason"] or "restored" for variable in variables}


if __name__ == "__main__":
    unittest.main()

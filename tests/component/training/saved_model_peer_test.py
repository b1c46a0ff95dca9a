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
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # noqa: E402
from tensorboard.backend.event_processing import event_accumulator  # noqa: E402

WRITE_DATA = sys.argv.pop(2)
TRAINER = sys.argv.pop(1)


def prediction_log():
    """TensorFlow Serving's PredictionLog, as far as we write it."""
    file = descriptor_pb2.FileDescriptorProto(name="warmup_test.proto", package="t", syntax="proto3",
                                              dependency=["tensorflow/core/framework/tensor.proto"])

    def message(name, fields):
        added = file.message_type.add(name=name)
        for field, number, kind in fields:
            of_type = {"type": 9} if kind == "string" else {"type": 11, "type_name": kind}
            added.field.add(name=field, number=number, label=1, **of_type)
        return added

    message("ModelSpec", [("name", 1, "string"), ("signature_name", 3, "string")])
    request = message("PredictRequest", [("model_spec", 1, ".t.ModelSpec"), ("inputs", 2, ".t.PredictRequest.InputsEntry")])
    request.field[1].label = 3
    entry = request.nested_type.add(name="InputsEntry", options={"map_entry": True})
    entry.field.add(name="key", number=1, label=1, type=9)
    entry.field.add(name="value", number=2, label=1, type=11, type_name=".tensorflow.TensorProto")
    message("PredictLog", [("request", 1, ".t.PredictRequest")])
    message("PredictionLog", [("predict_log", 6, ".t.PredictLog")])
    pool = descriptor_pool.Default()
    try:
        found = pool.FindMessageTypeByName("t.PredictionLog")
    except KeyError:
        pool.Add(file)
        found = pool.FindMessageTypeByName("t.PredictionLog")
    return message_factory.GetMessageClass(found)


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

    def test_every_signature_gives_the_same_answers(self):
        signatures = tf.saved_model.load(self.model).signatures
        self.assertEqual(sorted(signatures), ["serving_default", "serving_raw"])
        examples = tf.constant(self.serialized())
        features = tf.io.parse_example(examples, {
            "length": tf.io.RaggedFeature(tf.float32), "mass": tf.io.RaggedFeature(tf.int64),
            "island": tf.io.RaggedFeature(tf.string)})
        # Of whole numbers and words a dense tensor cannot leave one out: examples that have all of them are asked about.
        whole = tf.reduce_all([values.row_lengths() == 1 for values in features.values()], axis=0)
        self.assertGreater(np.count_nonzero(whole), 40)
        raw = {name: tf.ragged.boolean_mask(values, whole).values for name, values in features.items()}
        ours = signatures["serving_raw"](**raw)
        theirs = signatures["serving_default"](examples=tf.boolean_mask(examples, whole))
        self.assertEqual(sorted(ours), sorted(theirs))
        np.testing.assert_allclose(ours["scores"], theirs["scores"], atol=1e-6)
        np.testing.assert_array_equal(ours["predicted"], theirs["predicted"])
        missing = signatures["serving_raw"](**{**raw, "length": tf.fill(raw["length"].shape, np.nan)})
        self.assertTrue(np.isfinite(missing["scores"]).all())

    def test_tensorboard_reads_what_a_run_wrote(self):
        folder = self.run_again({"log_interval": 20})
        read = {part: event_accumulator.EventAccumulator(f"{folder}/model_run/{part}").Reload()
                for part in ("train", "validation")}
        losses = read["train"].Scalars("training_loss")
        self.assertEqual([event.step for event in losses], [20, 40, 60])
        self.assertLess(losses[-1].value, losses[0].value)
        self.assertGreater(read["validation"].Scalars("accuracy")[-1].value, 0.5)
        self.assertIn("dense/kernel", read["train"].Tags()["tensors"], "histograms")
        self.assertIn("train_step", [node.name for node in read["train"].Graph().node])

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

    def keras_model(self):
        """A Keras model with our variables, of random values; and those values by our names."""
        shapes = {v.name.removesuffix(":0"): v.shape.as_list() for v in tf.saved_model.load(self.model).variables}
        layers = [name.removesuffix("/kernel") for name in shapes if name.endswith("/kernel")]
        layers.sort(key=lambda name: (name == "logits", name))
        model = tf.keras.Sequential([tf.keras.layers.Dense(shapes[f"{name}/kernel"][1], name=name) for name in layers])
        model.build([None, shapes[f"{layers[0]}/kernel"][0]])
        for variable in model.variables:
            variable.assign(tf.random.normal(variable.shape))
        return model, {variable.path.split("/", 1)[1]: variable.numpy() for variable in model.variables}

    def assert_starts_from(self, base_model, values):
        report = self.warm_start_from(base_model, learning_rate=1e-30)  # which changes nothing
        self.assertEqual({name for name, reason in report.items() if reason == "restored"}, set(values))
        checkpoint = tf.train.load_checkpoint(tf.train.latest_checkpoint(f"{self.last_run}/model_run"))
        for name, value in values.items():
            np.testing.assert_array_equal(checkpoint.get_tensor(name), value, err_msg=name)

    def test_what_keras_writes_in_any_form_warm_starts_ours_with_equal_values(self):
        model, values = self.keras_model()
        folder = self.temporary.name
        model.export(f"{folder}/exported", verbose=False)
        tf.train.Checkpoint(model=model).save(f"{folder}/checkpoints/ckpt")
        tf.train.Checkpoint(model).write(f"{folder}/written")
        for base_model in ["exported", "checkpoints", "written"]:
            with self.subTest(base_model):
                self.assert_starts_from(f"{folder}/{base_model}", values)

    def test_our_own_checkpoints_and_models_warm_start_ours(self):
        exported = {v.name.removesuffix(":0"): v.numpy() for v in tf.saved_model.load(self.model).variables}
        for base_model in [self.model, self.model_run]:
            with self.subTest(base_model):
                self.assert_starts_from(base_model, exported)

    def test_a_server_finds_warmup_requests_that_the_model_answers(self):
        path = f"{self.model}/assets.extra/tf_serving_warmup_requests"
        logs = [prediction_log().FromString(record.numpy()) for record in tf.data.TFRecordDataset(path)]
        self.assertEqual([log.predict_log.request.model_spec.signature_name for log in logs], ["serving_default"] * 2)
        batches = [tf.make_ndarray(log.predict_log.request.inputs["examples"]).tolist() for log in logs]
        self.assertEqual(batches, [self.serialized()[:1], self.serialized()[:16]])
        serve = tf.saved_model.load(self.model).signatures["serving_default"]
        self.assertEqual(serve(examples=tf.constant(batches[1]))["scores"].shape, [16, 3])

    def run_again(self, config, **changes):
        """Trains once more, with changes to the executor input and its custom config; the new run's folder."""
        folder = tempfile.mkdtemp(dir=self.temporary.name)
        with open(f"{self.temporary.name}/executor_input.json", encoding="utf-8") as file:
            executor_input = json.load(file)
        executor_input |= {"serving_model_dir": f"{folder}/model", "model_run_dir": f"{folder}/model_run",
                           "output_path": f"{folder}/output.json", **changes}
        executor_input["custom_config"] |= config
        with open(f"{folder}/input.json", "w", encoding="utf-8") as file:
            json.dump(executor_input, file)
        subprocess.run([TRAINER, f"--executor_input={folder}/input.json"], check=True, stdout=subprocess.DEVNULL)
        return folder

    def warm_start_from(self, base_model, learning_rate=0.003):
        """What became of each variable when training starts from base_model."""
        self.last_run = self.run_again({"learning_rate": learning_rate}, base_model=base_model, train_steps=1)
        with open(f"{self.last_run}/output.json", encoding="utf-8") as file:
            variables = json.load(file)["warm_start"]["variables"]
        return {variable["name"]: variable["reason"] or "restored" for variable in variables}


if __name__ == "__main__":
    unittest.main()

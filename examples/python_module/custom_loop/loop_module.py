"""Predicts a penguin's body mass, with a training loop of its own: a module file for TFX's Trainer.

Checkpoints go to model_run_dir: a step that was killed goes on where it was. custom_config: `batch_size` (int),
`learning_rate` (float), `checkpoint_every` (int, steps); all of them optional.
"""

import os
from typing import Dict, Tuple

from absl import logging
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2
from tensorflow_transform.tf_metadata import schema_utils
from tfx.components.trainer.fn_args_utils import FnArgs
from tfx.utils import io_utils
from tfx_bsl.tfxio import dataset_options

_FEATURES = {"bill_length_mm": (44.0, 5.5), "bill_depth_mm": (17.0, 2.0), "flipper_length_mm": (200.0, 14.0)}
_LABEL, _LABEL_MEAN, _LABEL_SCALE = "body_mass_g", 4200.0, 800.0
_DEFAULTS = {"batch_size": 32, "learning_rate": 0.1, "checkpoint_every": 50}


class LinearModel(tf.Module):
    """A line through scaled features, and everything that a server needs to draw it."""

    def __init__(self, spec: Dict):
        super().__init__()
        self.weights = tf.Variable(tf.zeros([len(_FEATURES), 1]), name="weights")
        self.bias = tf.Variable([0.0], name="bias")
        self._spec = {key: spec[key] for key in _FEATURES}

    def __call__(self, features: Dict) -> tf.Tensor:
        columns = [(_column(features[key], mean) - mean) / scale for key, (mean, scale) in _FEATURES.items()]
        return tf.linalg.matmul(tf.concat(columns, axis=1), self.weights) + self.bias

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, "examples")])
    def serve(self, examples: tf.Tensor) -> Dict[str, tf.Tensor]:
        scaled = self(tf.io.parse_example(examples, self._spec))
        return {_LABEL: scaled * _LABEL_SCALE + _LABEL_MEAN}


def _column(values, typical: float) -> tf.Tensor:
    if isinstance(values, tf.SparseTensor):
        shape = tf.stack([values.dense_shape[0], 1])
        floats = tf.SparseTensor(values.indices, tf.cast(values.values, tf.float32), shape)
        return tf.sparse.to_dense(floats, default_value=typical)
    return tf.cast(values, tf.float32)


def _batches(fn_args: FnArgs, schema: schema_pb2.Schema, batch_size: int) -> tf.data.Dataset:
    options = dataset_options.TensorFlowDatasetOptions(batch_size=batch_size, label_key=_LABEL, shuffle_seed=3)
    return fn_args.data_accessor.tf_dataset_factory(fn_args.train_files, options, schema)


def _make_step(model: LinearModel, learning_rate: float):
    @tf.function
    def step(features: Dict, label) -> tf.Tensor:
        wanted = (_column(label, _LABEL_MEAN) - _LABEL_MEAN) / _LABEL_SCALE
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(features) - wanted))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(learning_rate * gradient)
        return loss

    return step


def _start(model: LinearModel, fn_args: FnArgs) -> Tuple[tf.Variable, tf.train.CheckpointManager]:
    """The step to go on from: that of an interrupted run, or 0, with a base model's weights if there is one."""
    done = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, done=done)
    manager = tf.train.CheckpointManager(checkpoint, os.path.join(fn_args.model_run_dir, "checkpoints"), max_to_keep=2)
    if manager.restore_or_initialize():
        logging.warning("Going on from step %d", done.numpy())
    elif fn_args.base_model:
        base = tf.saved_model.load(fn_args.base_model)
        model.weights.assign(base.weights)
        model.bias.assign(base.bias)
        logging.warning("Warm start from %s", fn_args.base_model)
    return done, manager


def run_fn(fn_args: FnArgs) -> None:
    """Trains; TFX's Trainer calls this."""
    config = {**_DEFAULTS, **(fn_args.custom_config or {})}
    schema = io_utils.parse_pbtxt_file(fn_args.schema_file, schema_pb2.Schema())
    model = LinearModel(schema_utils.schema_as_feature_spec(schema).feature_spec)
    done, manager = _start(model, fn_args)
    step = _make_step(model, config["learning_rate"])

    left = max(0, fn_args.train_steps - int(done.numpy()))
    for features, label in _batches(fn_args, schema, config["batch_size"]).take(left):
        loss = step(features, label)
        if done.assign_add(1) % config["checkpoint_every"] == 0:
            manager.save()
            print("step %d: loss %.4f" % (done.numpy(), loss.numpy()))
    tf.saved_model.save(model, fn_args.serving_model_dir, signatures={"serving_default": model.serve})

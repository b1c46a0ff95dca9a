"""Tells male from female penguins on every device of the machine: a module file for TFX's Trainer.

tf.distribute.MirroredStrategy takes all GPUs, or the CPU without one. custom_config: `batch_size` (int, over all
devices), `virtual_cpus` (int: as many replicas without a GPU, to try it out); both are optional.
"""

from typing import Dict

from absl import logging
import keras
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.components.trainer.executor import TrainerFnArgs
from tfx.utils import io_utils
from tfx_bsl.public import tfxio

_MEASURES = {"bill_length_mm": (44.0, 5.5), "bill_depth_mm": (17.0, 2.0), "body_mass_g": (4200.0, 800.0)}
_SPEC = {
    "bill_length_mm": tf.io.VarLenFeature(tf.float32),
    "bill_depth_mm": tf.io.VarLenFeature(tf.float32),
    "body_mass_g": tf.io.VarLenFeature(tf.int64),
}
_LABEL = "sex"


def _scaled(features: Dict[str, tf.SparseTensor]) -> tf.Tensor:
    """A row of scaled measures for each penguin; what is missing is typical."""
    return tf.concat([_column(features[key], mean, scale) for key, (mean, scale) in _MEASURES.items()], axis=1)


def _column(values: tf.SparseTensor, mean: float, scale: float) -> tf.Tensor:
    scaled = (tf.cast(values.values, tf.float32) - mean) / scale
    return tf.sparse.to_dense(tf.SparseTensor(values.indices, scaled, tf.stack([values.dense_shape[0], 1])))


def _is_male(sex: tf.SparseTensor) -> tf.Tensor:
    return tf.cast(tf.sparse.to_dense(sex, default_value="") == "male", tf.float32)


def _dataset(fn_args: TrainerFnArgs, files, schema: schema_pb2.Schema, batch_size: int, num_epochs=None):
    options = tfxio.TensorFlowDatasetOptions(batch_size=batch_size, num_epochs=num_epochs, label_key=_LABEL)
    dataset = fn_args.data_accessor.tf_dataset_factory(files, options, schema)
    return dataset.map(lambda features, sex: (_scaled(features), _is_male(sex)))


def _strategy(virtual_cpus: int) -> tf.distribute.MirroredStrategy:
    cpu = tf.config.list_physical_devices("CPU")[0]
    if virtual_cpus > 1 and not tf.config.list_physical_devices("GPU"):
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * virtual_cpus)
        return tf.distribute.MirroredStrategy(["CPU:%d" % i for i in range(virtual_cpus)])
    return tf.distribute.MirroredStrategy()


def _build_model() -> keras.Model:
    model = keras.Sequential([
        keras.Input((len(_MEASURES),)),
        keras.layers.Dense(8, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(optimizer=keras.optimizers.Adam(0.02), loss="binary_crossentropy", metrics=["accuracy"])
    return model


def _save(model: keras.Model, serving_model_dir: str) -> None:
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint(
        "serving_default",
        lambda examples: {"male": model(_scaled(tf.io.parse_example(examples, _SPEC)))},
        input_signature=[tf.TensorSpec([None], tf.string, "examples")])
    archive.write_out(serving_model_dir, verbose=False)


def run_fn(fn_args: TrainerFnArgs) -> None:
    """Trains; TFX's Trainer calls this."""
    config = fn_args.custom_config or {}
    batch_size = config.get("batch_size", 32)
    schema = io_utils.parse_pbtxt_file(fn_args.schema_path, schema_pb2.Schema())
    strategy = _strategy(config.get("virtual_cpus", 1))
    logging.warning("Training on %d replicas", strategy.num_replicas_in_sync)
    with strategy.scope():
        model = _build_model()
        if fn_args.base_model:
            for mine, theirs in zip(model.variables, tf.saved_model.load(fn_args.base_model).variables):
                mine.assign(theirs)
            logging.warning("Warm start from %s", fn_args.base_model)
    model.fit(
        _dataset(fn_args, fn_args.train_files, schema, batch_size),
        steps_per_epoch=fn_args.train_steps,
        validation_data=_dataset(fn_args, fn_args.eval_files, schema, batch_size, num_epochs=1),
        verbose=2)
    _save(model, fn_args.serving_model_dir)

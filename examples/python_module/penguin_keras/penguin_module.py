"""Tells penguins apart by their measures: a module file for TFX's Trainer, with Keras.

It imports nothing but TensorFlow and TFX's own names, and runs unchanged in a TFX pipeline and with `rekindle train`.

custom_config: `hidden_units` (list of int), `learning_rate` (float), `batch_size` (int); all of them optional.
"""

from typing import Dict, List, Tuple

from absl import logging
import keras
import penguin_features as features
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx import v1 as tfx
from tfx_bsl.public import tfxio

_DEFAULTS = {"hidden_units": [16, 8], "learning_rate": 0.01, "batch_size": 32}


def _input_fn(file_pattern: List[str], data_accessor: tfx.components.DataAccessor, schema: schema_pb2.Schema,
              batch_size: int, num_epochs: int = None) -> tf.data.Dataset:
    """Batches of dense measures and the index of the species."""
    species = keras.layers.StringLookup(vocabulary=features.species_of(schema), num_oov_indices=0)

    def to_tensors(measures: Dict[str, tf.SparseTensor], label: tf.Tensor) -> Tuple[Dict[str, tf.Tensor], tf.Tensor]:
        return features.dense_measures(measures), species(label)

    options = tfxio.TensorFlowDatasetOptions(
        batch_size=batch_size, num_epochs=num_epochs, label_key=features.LABEL_KEY, shuffle_seed=7)
    return data_accessor.tf_dataset_factory(file_pattern, options, schema).map(to_tensors)


def _build_model(schema: schema_pb2.Schema, config: Dict, measures: tf.data.Dataset) -> keras.Model:
    """A small network behind normalized measures."""
    inputs = {key: keras.Input((1,), name=key) for key in features.MEASURES}
    normalize = keras.layers.Normalization(name="normalize")
    normalize.adapt(measures)
    hidden = normalize(keras.layers.concatenate([inputs[key] for key in features.MEASURES]))
    for units in config["hidden_units"]:
        hidden = keras.layers.Dense(units, activation="relu")(hidden)
    outputs = keras.layers.Dense(len(features.species_of(schema)), activation="softmax", name="species")(hidden)
    model = keras.Model(inputs, outputs)
    model.compile(
        optimizer=keras.optimizers.Adam(config["learning_rate"]),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"])
    return model


def _warm_start(model: keras.Model, base_model: str) -> None:
    """Begins where an earlier model ended, as far as the layers are the same."""
    trained = tf.saved_model.load(base_model).variables
    if [tuple(v.shape) for v in trained] != [tuple(v.shape) for v in model.variables]:
        logging.warning("%s has other layers: starting cold", base_model)
        return
    for mine, theirs in zip(model.variables, trained):
        mine.assign(theirs)
    logging.warning("Warm start from %s", base_model)


def _save(model: keras.Model, schema: schema_pb2.Schema, serving_model_dir: str) -> None:
    """Writes a SavedModel that takes serialized examples, without labels."""
    species = tf.constant(features.species_of(schema))

    def serve(examples: tf.Tensor) -> Dict[str, tf.Tensor]:
        parsed = tf.io.parse_example(examples, features.serving_spec(schema))
        scores = model(features.dense_measures(parsed))
        return {"scores": scores, "species": tf.gather(species, tf.argmax(scores, axis=-1))}

    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("serving_default", serve, input_signature=[tf.TensorSpec([None], tf.string, "examples")])
    archive.write_out(serving_model_dir, verbose=False)


def run_fn(fn_args: tfx.components.FnArgs) -> None:
    """Trains; TFX's Trainer calls this."""
    config = {**_DEFAULTS, **(fn_args.custom_config or {})}
    schema = tfx.utils.parse_pbtxt_file(fn_args.schema_path, schema_pb2.Schema())
    keras.utils.set_random_seed(1)
    train = _input_fn(fn_args.train_files, fn_args.data_accessor, schema, config["batch_size"])
    one_pass = _input_fn(fn_args.train_files, fn_args.data_accessor, schema, config["batch_size"], num_epochs=1)
    evaluation = _input_fn(fn_args.eval_files, fn_args.data_accessor, schema, config["batch_size"], num_epochs=1)

    model = _build_model(schema, config, one_pass.map(lambda measures, _: features.as_matrix(measures)))
    if fn_args.base_model:
        _warm_start(model, fn_args.base_model)
    model.fit(
        train,
        steps_per_epoch=fn_args.train_steps,
        validation_data=evaluation,
        validation_steps=fn_args.eval_steps,
        verbose=2,
        callbacks=[keras.callbacks.TensorBoard(fn_args.model_run_dir, update_freq="batch")])
    _save(model, schema, fn_args.serving_model_dir)

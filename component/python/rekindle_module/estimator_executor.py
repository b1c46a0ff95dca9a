"""Runs a module's trainer_fn: an Estimator, as TFX's executor did before there was run_fn."""

import copy
import inspect
import math
import os
import signal

from rekindle_module import data_accessor
from rekindle_module import estimators
from rekindle_module import failure
from rekindle_module import fn_args as fn_args_lib
from rekindle_module import model_layout
from rekindle_module import text_proto

_SPEC_KEYS = ("estimator", "train_spec", "eval_spec")


def run(module, executor_input):
    """Trains and evaluates what the module's trainer_fn builds; the newest export becomes the model.

    Answers what there is to say of it. Under a TF_CONFIG only the chief exports: the others answer nothing.
    """
    estimators.require(module.__file__)
    fn_args = fn_args_lib.make_fn_args(executor_input, data_accessor.make_data_accessor())
    work = _working_args(fn_args)
    spec = _build(module.trainer_fn, work)
    resumed_from = _step_of(spec["estimator"].latest_checkpoint())
    metrics = _train(spec)
    if not spec["estimator"].config.is_chief:
        return {}
    _keep_exports(spec, work, fn_args)
    return {"metrics": _numbers(metrics), "global_step": _step_of(spec["estimator"].latest_checkpoint()),
            "resumed_from_step": resumed_from, "warm_start": _warm_start(spec["estimator"], fn_args.base_model)}


def _working_args(fn_args):
    """The arguments of trainer_fn: its model_dir is below the run, so a retry finds the checkpoints again."""
    work = copy.copy(fn_args)
    work.serving_model_dir = model_layout.serving_folder(fn_args.model_run_dir)
    work.eval_model_dir = model_layout.eval_folder(fn_args.model_run_dir)
    # Before FnArgs had custom_config, its entries were arguments like any other.
    for name, value in (fn_args.custom_config or {}).items():
        if not hasattr(work, name):
            setattr(work, name, value)
    return work


def _build(trainer_fn, work):
    """What trainer_fn answers, looked over."""
    spec = trainer_fn(work, _schema(work)) if _takes_schema(trainer_fn) else trainer_fn(work)
    missing = [key for key in _SPEC_KEYS if key not in (spec if isinstance(spec, dict) else {})]
    if missing:
        raise failure.Failure(failure.MODULE_UNUSABLE, "trainer_fn must return a dict with %s; what it returned has no "
                              "%s" % (", ".join(_SPEC_KEYS), ", ".join(missing)))
    if not spec["eval_spec"].exporters:
        raise failure.Failure(failure.MODULE_UNUSABLE, "the eval_spec that trainer_fn returned has no exporter, so "
                              "nothing would be served: give it tf.estimator.FinalExporter(NAME, receiver_fn)")
    return spec


def _takes_schema(trainer_fn):
    try:
        inspect.signature(trainer_fn).bind(None, None)
    except TypeError:
        return False
    return True


def _schema(work):
    if not work.schema_path:
        raise failure.Failure(failure.MODULE_UNUSABLE, "trainer_fn takes a schema, and the step has none: give it one "
                              "with --schema", failure.NOT_FOUND)
    return text_proto.SchemaReader().read(work.schema_path)


def _train(spec):
    """Trains; the last evaluation's measures, or None if this process does not evaluate."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    if spec["estimator"].config.task_type == "ps":
        # It waits for ever, outside of Python, where our handler would not be called.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    answer = tf.estimator.train_and_evaluate(spec["estimator"], spec["train_spec"], spec["eval_spec"])
    metrics, exports = answer if isinstance(answer, tuple) else (None, None)
    if spec["estimator"].config.is_chief and not any(exports or ()):
        return _evaluate_and_export(spec["estimator"], spec["eval_spec"])
    return metrics


def _evaluate_and_export(estimator, eval_spec):
    """The last part of training, where train_and_evaluate leaves it out.

    It does when an earlier attempt had trained all steps, when there is no last step (max_steps is None), and on a
    chief whose cluster has an evaluator.
    """
    checkpoint = estimator.latest_checkpoint()
    if checkpoint is None:
        raise failure.Failure(failure.NO_OUTPUT, "the Estimator left no checkpoint in its model_dir %s" %
                              estimator.model_dir)
    metrics = estimator.evaluate(eval_spec.input_fn, steps=eval_spec.steps, hooks=eval_spec.hooks,
                                 checkpoint_path=checkpoint, name=eval_spec.name)
    for exporter in eval_spec.exporters:
        exporter.export(estimator, os.path.join(estimator.model_dir, "export", exporter.name), checkpoint, metrics,
                        is_the_final_export=True)
    return metrics


def _keep_exports(spec, work, fn_args):
    """The newest export becomes the model; with eval_input_receiver_fn there is an eval SavedModel beside it."""
    estimator = spec["estimator"]
    export = model_layout.newest_export(estimator.model_dir)
    if export is None:
        raise failure.Failure(failure.NO_OUTPUT, "no exporter of trainer_fn's eval_spec left a SavedModel in %s" %
                              os.path.join(estimator.model_dir, "export"))
    model_layout.replace_copy(export, fn_args.serving_model_dir)
    if spec.get("eval_input_receiver_fn") is not None:
        _export_for_evaluation(estimator, spec["eval_input_receiver_fn"], work.eval_model_dir)
        model_layout.replace_copy(model_layout.newest_version(work.eval_model_dir), fn_args.eval_model_dir)
    if not _is_inside(estimator.model_dir, fn_args.model_run_dir):
        model_layout.replace_copy(estimator.model_dir, work.serving_model_dir)


def _export_for_evaluation(estimator, receiver_fn, folder):
    import tensorflow_model_analysis as tfma  # pylint: disable=import-outside-toplevel

    tfma.export.export_eval_savedmodel(
        estimator=estimator, export_dir_base=folder, eval_input_receiver_fn=receiver_fn)


def _is_inside(path, folder):
    folder = os.path.realpath(folder)
    return os.path.commonpath([os.path.realpath(path), folder]) == folder


def _warm_start(estimator, base_model):
    """What to record if the Estimator began with the variables of `base_model`."""
    settings = getattr(estimator, "_warm_start_settings", None)
    if not base_model or settings is None or not _is_inside(settings.ckpt_to_initialize_from, base_model):
        return None
    return {"base_model": base_model, "variables": []}


def _step_of(checkpoint):
    """The step at which a checkpoint was written; None without one."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    return None if checkpoint is None else int(tf.train.load_variable(checkpoint, "global_step"))


def _numbers(metrics):
    """Those of the measures that are single numbers, finite ones, as Python's own."""
    return {name: float(value) for name, value in (metrics or {}).items()
            if name != "global_step" and getattr(value, "shape", ()) == () and not isinstance(value, (str, bytes)) and
            math.isfinite(value)}

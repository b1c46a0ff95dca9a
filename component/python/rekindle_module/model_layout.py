"""Where an Estimator's exports are, and how they become the model of a step.

An Estimator with the model_dir M writes checkpoints into M and SavedModels into M/export/EXPORTER/TIMESTAMP. A step's
model has its SavedModel right in Format-Serving, and its eval SavedModel, if there is one, in Format-TFMA.
"""

import os
import shutil

SERVING = "Format-Serving"
EVAL = "Format-TFMA"


def serving_folder(output):
    """Of a model, or of a run: where the Estimator's model_dir is while it trains."""
    return os.path.join(output, SERVING)


def eval_folder(output):
    """Of a model, or of a run."""
    return os.path.join(output, EVAL)


def serving_model_path(output):
    """The folder of the SavedModel to serve: right in its place, or where an Estimator exported it."""
    folder = serving_folder(output)
    return newest_export(folder) or folder


def eval_model_path(output):
    """The folder of the SavedModel to evaluate: the one to serve, if there is no other."""
    folder = eval_folder(output)
    return newest_version(folder) or (folder if is_saved_model(folder) else serving_model_path(output))


def newest_version(folder):
    """The SavedModel in the child of `folder` whose name is the highest number; None if there is none."""
    versions = [name for name in _children(folder) if name.isdigit() and is_saved_model(os.path.join(folder, name))]
    return os.path.join(folder, max(versions, key=int)) if versions else None


def newest_export(model_dir):
    """The newest SavedModel that an Estimator exported, of all its exporters; None if there is none."""
    base = os.path.join(model_dir, "export")
    exports = [newest_version(os.path.join(base, exporter)) for exporter in sorted(_children(base))]
    return max(filter(None, exports), key=lambda path: int(os.path.basename(path)), default=None)


def is_saved_model(folder):
    return any(os.path.exists(os.path.join(folder, name)) for name in ("saved_model.pb", "saved_model.pbtxt"))


def replace_copy(source, destination):
    """Makes `destination` a copy of the folder `source`, whatever was there."""
    shutil.rmtree(destination, ignore_errors=True)
    shutil.copytree(source, destination)


def settle(executor_input):
    """Puts the exports of a run_fn whose Estimator trained right in serving_model_dir where a model's SavedModel is.

    The Estimator's folder, with the checkpoints, moves to the run. A model that is in its place is left alone.
    """
    serving, evaluating = executor_input["serving_model_dir"], executor_input["eval_model_dir"]
    if not is_saved_model(serving) and newest_export(serving):
        folder = serving_folder(executor_input["model_run_dir"])
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(serving, folder)
        replace_copy(newest_export(folder), serving)
    if not is_saved_model(evaluating):
        _lift(newest_version(evaluating), evaluating)


def _lift(version, folder):
    """Makes `version`, a folder inside `folder`, all that `folder` is."""
    if version is not None:
        aside = folder + ".version"
        shutil.move(version, aside)
        shutil.rmtree(folder)
        shutil.move(aside, folder)


def _children(folder):
    return os.listdir(folder) if os.path.isdir(folder) else []

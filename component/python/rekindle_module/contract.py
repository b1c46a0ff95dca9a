"""The two files of docs/executor-contract.md."""

import json
import os

from rekindle_module import failure

_INPUT_KEYS = frozenset((
    "pipeline", "run_id", "node_id", "execution_id", "train_files", "eval_files", "train_steps", "eval_steps",
    "schema_path", "transform_graph_path", "serving_model_dir", "eval_model_dir", "model_run_dir", "base_model",
    "hyperparameters", "custom_config", "num_examples", "deadline", "progress_path", "output_path"))


def read_input(path):
    """The executor input in the file at `path`, a dict that has all the keys and no other."""
    with open(path, encoding="utf-8") as file:
        values = json.load(file)
    for key in sorted(_INPUT_KEYS.symmetric_difference(values)):
        problem = "unknown" if key in values else "missing"
        raise failure.Failure(failure.INVALID_OUTPUT, "%s: key '%s' is %s" % (path, key, problem),
                              failure.INVALID_ARGUMENT)
    return values


def succeeded(environment, trained):
    """The answer of a run that ended well; `trained` has what its executor says of it, by the answer's keys."""
    return {**_answer(error=None, train_complete=True, environment=environment), **trained}


def failed(error):
    """The answer of a run that ended with a Failure."""
    return _answer(error=error.to_json(), train_complete=False, environment={})


def write_output(path, answer):
    """Writes the answer whole or not at all."""
    partial = path + ".partial"
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(answer, file)
    os.replace(partial, path)


def _answer(error, train_complete, environment):
    return {
        "error": error,
        "train_complete": train_complete,
        # What a module trained is its own business: nobody counted.
        "global_step": 0,
        "resumed_from_step": None,
        "metrics": {},
        "warm_start": None,
        "environment": environment,
    }

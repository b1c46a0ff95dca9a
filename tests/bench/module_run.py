"""The part `module` of module_bench: a user's Python module through `rekindle train`, and by itself."""

import json
import pathlib
import sys

from rounds import rounds, spread

REPO = pathlib.Path(__file__).resolve().parents[2]
MODULE = REPO / "examples" / "python_module" / "penguin_keras" / "penguin_module.py"
TARGET = 1.1

# What `python -c 'import module; module.run_fn(...)'` takes to write down: the names that the module imports must be
# found, and fn_args be filled in.
ALONE = """
import json, os, sys
library, module, arguments = sys.argv[1:]
sys.path[:0] = [os.path.dirname(module)]
sys.path += [library, os.path.join(library, "shims")]
import penguin_module
from rekindle_module import data_accessor, fn_args
penguin_module.run_fn(fn_args.FnArgs(data_accessor=data_accessor.make_data_accessor(), **json.loads(arguments)))
"""


def part(bench, run):
    """Wall seconds of both sides, in turns. `run` is module_bench's."""
    examples, schema = _prepare(bench)
    ours, alone = [], []
    for number in rounds(bench.options.rounds, "module"):
        seconds, _ = bench.step("train", "--module-file=%s" % MODULE, "--python=%s" % sys.executable,
                                "--base-model=none", "--train-steps=%d" % bench.options.steps)
        ours.append(seconds)
        arguments = _arguments(examples, schema, bench.dir / ("alone%d" % number), bench.options.steps)
        seconds, _ = run([sys.executable, "-c", ALONE, _library(bench), MODULE, json.dumps(arguments)])
        alone.append(seconds)
    return {"steps": bench.options.steps, "ours": spread(ours), "alone": spread(alone), "target": TARGET,
            "ratio": spread([one / other for one, other in zip(ours, alone)])}


def show(figures):
    """One line for people."""
    print("%-12s %9d steps  rekindle train %7.2f s   python %7.2f s   %.3f times as long (at most %.1f)" % (
        "module", figures["steps"], figures["ours"]["median"], figures["alone"]["median"], figures["ratio"]["median"],
        figures["target"]))


def _prepare(bench):
    """Folders of the penguins' examples and of their schema."""
    _, made = bench.step("example-gen", "--input=%s" % (REPO / "examples/penguin/penguins.csv"), "--null-value=NA")
    examples = made["outputs"]["examples"]
    _, made = bench.step("schema-gen", "--examples=id:%d" % examples["id"])
    return pathlib.Path(examples["uri"]), pathlib.Path(made["outputs"]["schema"]["uri"])


def _library(bench):
    return bench.rekindle.parent.parent / "lib" / "rekindle" / "python"


def _arguments(examples, schema, folder, steps):
    return {
        "train_files": [str(examples / "Split-train" / "*")],
        "eval_files": [str(examples / "Split-eval" / "*")],
        "train_steps": steps,
        "schema_path": str(schema / "schema.pbtxt"),
        "serving_model_dir": str(folder / "model"),
        "model_run_dir": str(folder / "model_run"),
    }

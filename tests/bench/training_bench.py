"""Rekindle's training beside TensorFlow's Python: the same files, the same batches, one after the other in each round.

Parts:
  input      the stream of batches alone, beside tf.data: examples as small as penguins', and wide ones
  small      a small DNN beside Keras's `fit` with its defaults and at its best (steps_per_execution, data in memory):
             steps a second after the first epoch, time from the start of the process to its first step, peak memory
  wide       the same of a wide & deep model
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from rounds import rounds, spread

HERE = pathlib.Path(__file__).resolve().parent
TARGET_INPUT = 3.0
TARGETS_TRAINING = {("penguin", "defaults"): 12.0, ("penguin", "best"): 3.0, ("wide", "best"): 2.0}
TARGET_START = 10.0


def run(words):
    """Runs a program; what it printed as JSON."""
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit("training_bench: %s ended with %d:\n%s" % (" ".join(map(str, words)), done.returncode, done.stderr))
    return json.loads(done.stdout) if done.stdout else None


class Bench:
    """The program under test, and a folder for data."""

    def __init__(self, binaries, folder, options):
        self.tool = binaries / "training_bench_tool"
        self.trainer = binaries / "rekindle-trainer"
        self.dir = folder
        self.options = options

    def data(self, kind, rows, files):
        """Pattern of files, written when they are first asked for."""
        folder = self.dir / kind
        if not folder.exists():
            folder.mkdir()
            run([self.tool, "write", kind, rows, files, folder])
        return folder / "data-*.gz"


def beside(ours, theirs, target):
    """Two series of rounds, and their ratio round by round."""
    return {"ours": spread(ours), "theirs": spread(theirs), "target": target,
            "ratio": spread([one / other for one, other in zip(ours, theirs)])}


def input_part(bench):
    """Batches a second, ours and tf.data's, from files and from memory."""
    figures = {}
    for kind, rows in (("penguin", bench.options.small_rows), ("wide", bench.options.wide_rows)):
        pattern = bench.data(kind, rows, files=4)
        for source in ("files", "memory"):
            arguments = [kind, pattern, bench.options.batch, source, bench.options.seconds]
            ours, theirs = [], []
            for _ in rounds(bench.options.rounds, "%s examples from %s" % (kind, source)):
                ours.append(run([bench.tool, "input", *arguments]))
                theirs.append(run([sys.executable, HERE / "tf_data_peer.py", *arguments]))
            for rate, unit in (("batches_per_second", "batches/s"), ("batches_per_cpu_second", "batches per CPU second")):
                figures["%s examples, from %s, %s" % (kind, source, unit)] = beside(
                    [one[rate] for one in ours], [one[rate] for one in theirs], TARGET_INPUT)
    return figures


def words(name, values):
    return 'feature { name: "%s" type: BYTES string_domain { %s } }' % (
        name, " ".join('value: "%s"' % value for value in values))


def schema(kind):
    """The schema of tests/bench/training_data.cc."""
    if kind == "penguin":
        numbers = ["culmen_length_mm", "culmen_depth_mm", "flipper_length_mm", "ratio"]
        lines = ['feature { name: "%s" type: FLOAT }' % name for name in numbers]
        lines.append('feature { name: "body_mass_g" type: INT }')
        lines += [words("island", ["Biscoe", "Dream", "Torgersen"]), words("sex", ["FEMALE", "MALE"]),
                  words("species", ["Adelie", "Chinstrap", "Gentoo"])]
        return "\n".join(lines)
    lines = ['feature { name: "number_%d" type: FLOAT }' % i for i in range(13)]
    lines += ['feature { name: "word_%d" type: BYTES }' % i for i in range(26)]
    lines.append('feature { name: "label" type: INT int_domain { min: 0 max: 1 } }')
    return "\n".join(lines)


def settings(kind, pattern, batch, steps, loop, schema_path):
    """Of an experiment that trains the models of keras_peer.py."""
    model = {"type": "dnn", "dnn": {"hidden_units": [16, 16]}}
    optimizer, rate, label = "adam", 0.003, "species"
    task = {}
    if kind == "wide":
        model = {"type": "wide_deep", "wide_deep": {"hidden_units": [64, 32], "embedding_dim": 8}}
        optimizer, rate, label = "adagrad", 0.01, "label"
        task = {"default_hash_buckets": 10_000}
    return {
        "task": {**task, "label_key": label, "schema_path": str(schema_path), "model": model,
                 "train_data": {"input_path": str(pattern), "global_batch_size": batch, "shuffle_buffer_size": 1000}},
        "trainer": {"train_steps": steps, "steps_per_loop": loop, "summary_interval": loop, "checkpoint_interval": 10**9,
                    "optimizer_config": {"optimizer": {"type": optimizer},
                                         "learning_rate": {"type": "constant", "constant": {"learning_rate": rate}}}}}


def train_ours(bench, kind, pattern, batch, steps, warm):
    """Steps a second of rekindle-trainer, and when its first step was made: two runs."""
    schema_path = bench.dir / ("%s.pbtxt" % kind)
    schema_path.write_text(schema(kind))

    def trainer(total, loop):
        folder = tempfile.mkdtemp(dir=bench.dir)
        begin = time.time()
        process = subprocess.Popen(
            [bench.trainer, "--experiment=tabular/classification", "--mode=train", "--model_dir=" + folder,
             "--params_override=" + json.dumps(settings(kind, pattern, batch, total, loop, schema_path))],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        first, text = None, ""
        for line in process.stdout:
            text += line
            if first is None and line.startswith("train"):
                first = time.time() - begin
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit("training_bench: rekindle-trainer failed:\n" + text)
        rates = [float(rate) for rate in re.findall(r"steps_per_second: ([0-9.e+]+)", text)]
        return first, rates, usage

    first, _, start = trainer(1, 1)
    _, rates, usage = trainer(warm + 3 * steps, steps)
    return {"steps_per_second": max(rates[-2:]), "first_step_seconds": first,
            "first_step_cpu_seconds": start.ru_utime + start.ru_stime,  # and of the checkpoint after it
            "peak_mib": usage.ru_maxrss / 1024}


def small_part(bench):
    return training_part(bench, "penguin", bench.options.small_rows, batch=64, steps=20_000)


def wide_part(bench):
    return training_part(bench, "wide", bench.options.wide_rows, batch=256, steps=2_000)


def training_part(bench, kind, rows, batch, steps):
    pattern = bench.data(kind, rows, files=4)
    warm = -(-(rows // batch + 1) // steps) * steps  # at least an epoch, in whole loops
    runs = {"ours": [], "defaults": [], "best": []}
    for _ in rounds(bench.options.rounds, "training, %s" % kind):
        runs["ours"].append(train_ours(bench, kind, pattern, batch, steps, warm))
        for name, at_once in (("defaults", 1), ("best", 100)):
            # Keras by its defaults is so slow that fewer steps will do.
            count = steps // 10 if name == "defaults" else steps
            runs[name].append(run([sys.executable, HERE / "keras_peer.py", kind, pattern, batch, count, warm, at_once]))
    figures = {}
    for name in ("defaults", "best"):
        add_figures(figures, kind, name, runs["ours"], runs[name])
    return figures


def add_figures(figures, kind, name, ours, theirs):
    def figure(measure, ratio_of, target):
        pairs = [(mine[measure], peer[measure]) for mine, peer in zip(ours, theirs)]
        return {"ours": spread([mine for mine, _ in pairs]), "theirs": spread([peer for _, peer in pairs]),
                "ratio": spread([ratio_of(mine, peer) for mine, peer in pairs]), "target": target}

    label = "%s, Keras's %s" % ("small DNN" if kind == "penguin" else "wide & deep", name)
    more = lambda mine, peer: mine / peer
    less = lambda mine, peer: peer / mine
    figures[label + ": steps a second"] = figure("steps_per_second", more, TARGETS_TRAINING.get((kind, name), 0))
    figures[label + ": seconds to the first step"] = figure("first_step_seconds", less, TARGET_START)
    figures[label + ": CPU seconds to the first step"] = figure("first_step_cpu_seconds", less, TARGET_START)
    figures[label + ": peak MiB"] = figure("peak_mib", less, 0)


PARTS = {"input": input_part, "small": small_part, "wide": wide_part}


def print_table(part, figures):
    print("%-58s %12s %12s %9s %19s %8s" % (part, "ours", "theirs", "ratio", "ratio, min - max", "target"))
    for name, figure in figures.items():
        ratio = figure["ratio"]
        print("%-58s %12.5g %12.5g %8.1fx %19s %8s" % (
            name, figure["ours"]["median"], figure["theirs"]["median"], ratio["median"],
            "%.1f - %.1f" % (ratio["min"], ratio["max"]), "%.1fx" % figure["target"] if figure["target"] else ""), flush=True)


def parse_options():
    parser = argparse.ArgumentParser(
        prog="tests/bench/training_bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: tests/bench/training_bench --only=input --rounds=3 -o json")
    parser.add_argument("binaries", help=argparse.SUPPRESS)
    parser.add_argument("--only", choices=PARTS, help="one part (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each (default: 3)")
    parser.add_argument("--seconds", type=float, default=5, help="length of a measurement (default: 5)")
    parser.add_argument("--batch", type=int, default=64, help="examples in a batch (default: 64)")
    parser.add_argument("--small-rows", type=int, default=200_000, help="penguin-size examples (default: 200000)")
    parser.add_argument("--wide-rows", type=int, default=1_000_000, help="wide examples (default: 1000000)")
    parser.add_argument("-o", "--output", choices=["table", "json"], default="table")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds must be 1 or more, --seconds above 0")
    return options


def main():
    options = parse_options()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rekindle-bench-"))
    try:
        bench = Bench(pathlib.Path(options.binaries).resolve(), folder, options)
        figures = {}
        for name in PARTS if options.only is None else [options.only]:
            figures[name] = PARTS[name](bench)
            if options.output == "table":
                print_table(name, figures[name])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.output == "json":
        print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()

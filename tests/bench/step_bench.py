"""What a step costs beside the bare program that it runs.

Each round runs the bare program and the step around it, one after the other, so that both see the same noise.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

REPO = pathlib.Path(__file__).resolve().parents[2]
PENGUINS = REPO / "examples" / "penguin" / "penguins.csv"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("REKINDLE_")}
# Our part of a step, and a hit of the cache.
TARGET_OURS_MS = 30
TARGET_HIT_MS = 50
TARGET_RSS_MB = 25


def run(words, cwd):
    """Runs a program; its seconds, its peak memory in MB (its children's included), its output."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(list(map(str, words)), stdout=out, stderr=out, cwd=cwd, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
    if process.returncode != 0:
        sys.exit("step_bench: %s ended with %d:\n%s" % (" ".join(map(str, words)), process.returncode, text))
    return seconds, usage.ru_maxrss / 1024, text


class Bench:
    """A store and a pipeline with examples and a schema."""

    def __init__(self, binaries, folder):
        self.rekindle = binaries / "rekindle"
        self.trainer = binaries / "rekindle-trainer"
        self.dir = folder
        self.runs = 0
        self.step("example-gen", "--input=%s" % PENGUINS, "--null-value=NA")
        self.step("schema-gen")

    def step(self, verb, *arguments):
        self.runs += 1
        words = [self.rekindle, verb, "--pipeline=bench", "--run-id=run-%d" % self.runs, *arguments]
        return run(words, self.dir)

    def noop(self):
        return self.step("exec", "--node-id=Noop", "--no-cache", "--", "/bin/true")

    def train(self, *arguments):
        return self.step("train", "--label-key=species", "--train-steps=200", "--base-model=none", *arguments)

    def bare_training(self):
        """The trainer alone, on the input of the newest training step, writing elsewhere."""
        folder = self.dir / "bare"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        newest = max(self.dir.glob("pipelines/bench/Trainer/.system/executor_execution/*/attempt-1/executor_input.json"),
                     key=lambda path: int(path.parent.parent.name.split("-")[0]))
        task = json.loads(newest.read_text())
        task.update(serving_model_dir=str(folder / "model/Format-Serving"), model_run_dir=str(folder / "model_run"),
                    output_path=str(folder / "executor_output.json"))
        (folder / "executor_input.json").write_text(json.dumps(task))
        return run([self.trainer, "--executor_input=%s" % (folder / "executor_input.json")], self.dir)

    def bare_noop(self):
        return run(["/bin/true"], self.dir)


def summary(milliseconds):
    """Median and spread."""
    quartiles = statistics.quantiles(milliseconds, n=4)
    return {"median_ms": statistics.median(milliseconds), "quartiles_ms": [quartiles[0], quartiles[2]],
            "min_ms": min(milliseconds), "max_ms": max(milliseconds)}


def measure(bench, rounds):
    """The figures by name."""
    bench.train("--no-cache")  # Whatever happens once happens now, and the trainer's input exists.
    times = {name: [] for name in ("bare no-op", "step around a no-op", "bare training", "step around training")}
    memory = []
    for _ in range(rounds):
        for name, call in (("bare no-op", bench.bare_noop), ("step around a no-op", bench.noop),
                           ("bare training", bench.bare_training),
                           ("step around training", lambda: bench.train("--no-cache"))):
            seconds, megabytes, _ = call()
            times[name].append(1000 * seconds)
            if name == "step around a no-op":
                memory.append(megabytes)
    bench.train()  # Fills the cache.
    times["step, a hit of the cache"] = [1000 * bench.train()[0] for _ in range(rounds)]

    figures = {name: summary(values) for name, values in times.items()}
    ours = [step - bare for step, bare in zip(times["step around a no-op"], times["bare no-op"])]
    around_training = [step - bare for step, bare in zip(times["step around training"], times["bare training"])]
    figures["our part, no-op"] = dict(summary(ours), target_ms=TARGET_OURS_MS)
    figures["our part, training"] = dict(summary(around_training), target_ms=TARGET_OURS_MS)
    figures["step, a hit of the cache"]["target_ms"] = TARGET_HIT_MS
    figures["peak memory of a step"] = {"median_mb": statistics.median(memory), "target_mb": TARGET_RSS_MB}
    return figures


def print_table(figures):
    print("%-28s %10s %21s %10s %10s %8s" % ("", "median", "quartiles", "min", "max", "target"))
    for name, figure in figures.items():
        if "median_mb" in figure:
            print("%-28s %7.1f MB %52s" % (name, figure["median_mb"], "%d MB" % figure["target_mb"]))
            continue
        low, high = figure["quartiles_ms"]
        target = "%d ms" % figure["target_ms"] if "target_ms" in figure else ""
        print("%-28s %7.1f ms %18s ms %7.1f ms %7.1f ms %8s" % (
            name, figure["median_ms"], "%.1f - %.1f" % (low, high), figure["min_ms"], figure["max_ms"], target))


def main():
    parser = argparse.ArgumentParser(
        prog="tests/bench/step_bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: tests/bench/step_bench --rounds 5 -o json")
    parser.add_argument("binaries", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=20, help="runs of each (default: 20)")
    parser.add_argument("-o", "--output", choices=["table", "json"], default="table")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds is %d; it must be 2 or more" % options.rounds)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rekindle-bench-"))
    try:
        figures = measure(Bench(pathlib.Path(options.binaries).resolve(), folder), options.rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.output == "json":
        print(json.dumps(figures, indent=2))
    else:
        print_table(figures)


if __name__ == "__main__":
    main()

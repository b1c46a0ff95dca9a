"""Rekindle's training beside TensorFlow's Python: the same files, the same batches, one after the other in each round.

Parts:
  input   the stream of batches alone, beside tf.data: examples as small as penguins', and wide ones
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TARGET_INPUT = 3.0


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
        self.dir = folder
        self.options = options

    def data(self, kind, rows, files):
        """Pattern of freshly written files."""
        folder = self.dir / kind
        folder.mkdir()
        run([self.tool, "write", kind, rows, files, folder])
        return folder / "data-*.gz"


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def input_part(bench):
    """Batches a second, ours and tf.data's, from files and from memory."""
    figures = {}
    for kind, rows in (("penguin", bench.options.small_rows), ("wide", bench.options.wide_rows)):
        pattern = bench.data(kind, rows, files=4)
        for source in ("files", "memory"):
            arguments = [kind, pattern, bench.options.batch, source, bench.options.seconds]
            rates = {"ours": [], "tf.data": []}
            for _ in range(bench.options.rounds):
                rates["ours"].append(run([bench.tool, "input", *arguments])["batches_per_second"])
                rates["tf.data"].append(
                    run([sys.executable, HERE / "tf_data_peer.py", *arguments])["batches_per_second"])
            ratios = [ours / theirs for ours, theirs in zip(rates["ours"], rates["tf.data"])]
            figures["%s examples, from %s" % (kind, source)] = {
                "ours": spread(rates["ours"]), "theirs": spread(rates["tf.data"]), "unit": "batches/s",
                "ratio": spread(ratios), "target": TARGET_INPUT}
    return figures


PARTS = {"input": input_part}


def print_table(part, figures):
    print("%-34s %12s %12s %9s %19s %8s" % (part, "ours", "theirs", "ratio", "ratio, min - max", "target"))
    for name, figure in figures.items():
        ratio = figure["ratio"]
        print("%-34s %12.0f %12.0f %8.1fx %18s %7.1fx   %s" % (
            name, figure["ours"]["median"], figure["theirs"]["median"], ratio["median"],
            "%.1f - %.1f" % (ratio["min"], ratio["max"]), figure["target"], figure["unit"]))


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
        figures = {name: part(bench) for name, part in PARTS.items() if options.only in (None, name)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.output == "json":
        print(json.dumps(figures, indent=2))
        return
    for name, part in figures.items():
        print_table(name, part)


if __name__ == "__main__":
    main()

"""Rekindle's components beside plain Python: the same files, one side after the other in each round.

Parts:
  example_gen   CSV to gzip TFRecords of tf.Example in two splits by a hash of the row, beside Python's csv module and
                tf.io.TFRecordWriter (gzip, the same level)
  statistics    statistics of each split, beside numpy over what tf.data reads
  module        a user's Python module through `rekindle train`, beside `python -c 'import module; module.run_fn(...)'`
"""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import module_run
from rounds import rounds, spread

HERE = pathlib.Path(__file__).resolve().parent
TARGET_EXAMPLE_GEN = 5.0


def run(words):
    """Runs a program; how many seconds it took, and what it printed."""
    begin = time.monotonic()
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit("module_bench: %s ended with %d:\n%s" % (" ".join(map(str, words)), done.returncode, done.stderr))
    return time.monotonic() - begin, done.stdout


def beside(ours, theirs, target=None):
    """Seconds of both sides, round by round, and how many times as fast ours is."""
    return {"ours": spread(ours), "theirs": spread(theirs), "target": target,
            "ratio": spread([other / one for one, other in zip(ours, theirs)])}


class Bench:
    """The program under test, and a folder for data."""

    def __init__(self, binaries, folder, options):
        self.rekindle = binaries / "rekindle"
        self.dir = folder
        self.options = options
        self._runs = 0

    def step(self, verb, *flags):
        """Runs a step in a run of its own; seconds, and its report."""
        self._runs += 1
        seconds, report = run([self.rekindle, verb, "--pipeline=bench", "--run-id=r%d" % self._runs, "--no-cache",
                               "--db=%s" % (self.dir / "metadata.db"), "--pipeline-root=%s" % (self.dir / "root"),
                               "-o", "json", *flags])
        return seconds, json.loads(report)

    def peer(self, verb, *arguments):
        """Runs the Python side in a process of its own; the seconds of its work, without its imports."""
        _, printed = run([sys.executable, HERE / "data_peer.py", verb, *arguments])
        return json.loads(printed)

    def csv(self):
        """A table of taxi rides, written when it is first asked for."""
        path = self.dir / "rides.csv"
        if not path.exists():
            write_rides(path, self.options.rows)
        return path


def write_rides(path, rows):
    """Rows of a kind that tables have: numbers whole and broken, few and many different strings, missing cells."""
    draw = random.Random(20261116)
    companies = ["Company %d" % i for i in range(40)]
    with open(path, "w", encoding="utf-8") as out:
        out.write("ride_id,company,payment,miles,seconds,fare,tips,hour,pickup_area,dropoff_area\n")
        for i in range(rows):
            miles = draw.expovariate(0.3)
            out.write("%08x,%s,%s,%.2f,%d,%.2f,%s,%d,%d,%s\n" % (
                draw.getrandbits(32), draw.choice(companies), draw.choice(("Cash", "Card", "Prepaid")), miles,
                miles * 300, 3 + miles * 2.25, "" if i % 20 == 0 else "%.2f" % draw.uniform(0, 9), draw.randrange(24),
                draw.randrange(77), "" if i % 33 == 0 else draw.randrange(77)))


def example_gen_part(bench):
    """Seconds to turn a CSV file into examples, and that both sides have the same ones in the same splits."""
    ours, theirs = [], []
    for _ in rounds(bench.options.rounds, "example_gen"):
        seconds, report = bench.step("example-gen", "--input=%s" % bench.csv())
        ours.append(seconds)
        folder = bench.dir / "peer"
        shutil.rmtree(folder, ignore_errors=True)
        peer = bench.peer("example_gen", bench.csv(), folder)
        theirs.append(peer["seconds"])
        counts = report["outputs"]["examples"]["custom_properties"]
        for split, count in peer["counts"].items():
            if counts["num_examples.%s" % split] != count:
                sys.exit("module_bench: split %s has %d examples, the peer's has %d" % (
                    split, counts["num_examples.%s" % split], count))
    return {"rows": bench.options.rows, "seconds": beside(ours, theirs, TARGET_EXAMPLE_GEN)}


def statistics_part(bench):
    """Seconds to compute statistics of the examples of both splits."""
    _, report = bench.step("example-gen", "--input=%s" % bench.csv())
    examples = report["outputs"]["examples"]
    ours, theirs = [], []
    for _ in rounds(bench.options.rounds, "statistics"):
        seconds, _ = bench.step("statistics-gen", "--examples=id:%d" % examples["id"])
        ours.append(seconds)
        theirs.append(bench.peer("statistics", examples["uri"])["seconds"])
    return {"rows": bench.options.rows, "seconds": beside(ours, theirs)}


def module_part(bench):
    """Seconds of a training, both sides whole: from starting the interpreter to the model, published or written."""
    return module_run.part(bench, run)


PARTS = {"example_gen": example_gen_part, "statistics": statistics_part, "module": module_part}


def print_part(name, figures):
    if name == "module":
        module_run.show(figures)
        return
    times = figures["seconds"]
    target = "" if times["target"] is None else " (at least %.0f)" % times["target"]
    print("%-12s %9d rows   ours %7.2f s   Python %7.2f s   %.1f times as fast%s" % (
        name, figures["rows"], times["ours"]["median"], times["theirs"]["median"], times["ratio"]["median"], target), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="module_bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="example: tests/bench/module_bench example_gen --rows 100000 -o json")
    parser.add_argument("binaries", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("parts", nargs="*", metavar="PART", help="which parts (default: all)")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (default: 1,000,000)")
    parser.add_argument("--steps", type=int, default=500, help="that the module trains (default: 500)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each side runs (default: 3)")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error("no such part: %s; there are: %s" % (", ".join(sorted(unknown)), ", ".join(PARTS)))
    return options


def main():
    options = parse_arguments()
    figures = {}
    with tempfile.TemporaryDirectory(prefix="rekindle-bench-") as folder:
        bench = Bench(options.binaries.resolve(), pathlib.Path(folder), options)
        for name in options.parts or PARTS:
            figures[name] = PARTS[name](bench)
            if options.output == "text":
                print_part(name, figures[name])
    if options.output == "json":
        print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()

"""What a step of a local run costs beside the bare start of its process.

Each round starts the same command equally often and equally many at a time: by `rekindle run`, as the items of five steps, and by
xargs, which does nothing but fork and exec. One follows the other, so that both see the same noise.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from rounds import rounds, spread

GROUPS = 5
PARALLEL = 16
TARGET = 2.0  # times the bare start
PROGRAM = "/bin/true"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("REKINDLE_")}

PLAIN = "container: {image: none, command: [%s]}" % PROGRAM
# A step with a file of its own, and so with a view of the file system of its own.
WITH_OUTPUT = """container: {image: none, command: [/bin/sh, -c, "echo 1 > /tmp/out"]}
      outputs: {parameters: [{name: out, valueFrom: {path: /tmp/out}}]}"""


def workflow(count, leaf):
    steps = "\n".join("        - - {name: s%d, template: leaf, withSequence: {count: \"%d\"}}" % (i, count // GROUPS)
                      for i in range(GROUPS))
    return """apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: bench-}
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
%s
    - name: leaf
      %s
""" % (steps, leaf)


def timed(command, folder, stdin=None):
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, input=stdin, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit("runner_bench: %s ended with %d:\n%s" % (" ".join(command), done.returncode, done.stderr))
    return seconds


def main():
    parser = argparse.ArgumentParser(prog="runner_bench", description=__doc__.split("\n")[0],
                                     epilog="Example: tests/bench/runner_bench --tasks 1000 --rounds 5")
    parser.add_argument("binaries", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--tasks", type=int, default=1000, help="steps of a run (default: 1000)")
    parser.add_argument("--rounds", type=int, default=5, help="(default: 5)")
    options = parser.parse_args()
    micros = {"bare": [], "rekindle run": [], "with an output file": []}
    with tempfile.TemporaryDirectory(prefix="runner-bench-") as folder:
        for name, leaf in (("plain.yaml", PLAIN), ("output.yaml", WITH_OUTPUT)):
            pathlib.Path(folder, name).write_text(workflow(options.tasks, leaf))
        run = [str(options.binaries.resolve() / "rekindle"), "run", "-o", "json", "--max-processes", str(PARALLEL)]
        numbers = "\n".join(map(str, range(options.tasks)))
        for _ in rounds(options.rounds, "runner_bench"):
            for name, seconds in (
                    ("bare", timed(["xargs", "-P", str(PARALLEL), "-n", "1", PROGRAM], folder, numbers)),
                    ("rekindle run", timed(run + ["plain.yaml"], folder)),
                    ("with an output file", timed(run + ["output.yaml"], folder))):
                micros[name].append(seconds / options.tasks * 1e6)
    bare = spread(micros["bare"])["median"]
    for name, values in micros.items():
        figures = spread(values)
        print("%-20s %7.0f us a step (%.0f to %.0f), %.2f times the bare start" % (
            name, figures["median"], figures["min"], figures["max"], figures["median"] / bare))
    ratio = spread(micros["rekindle run"])["median"] / bare
    print("target: at most %.1f times; %s" % (TARGET, "met" if ratio <= TARGET else "missed"))


if __name__ == "__main__":
    main()

"""A folder with a store and a pipeline root, and the commands to fill it."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

REPO = pathlib.Path(__file__).resolve().parents[2]
PENGUINS = REPO / "examples" / "penguin" / "penguins.csv"
EXECUTION_FAILED = 4  # ml_metadata.Execution.State
BIN = None  # set by main()
# Whatever REKINDLE_ variables the caller has are not part of a test.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("REKINDLE_")}


class Workspace(unittest.TestCase):
    """Gives each test an empty folder and a vocabulary of a few verbs."""

    timeout = 120  # of a command, in seconds

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="rekindle-e2e-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.db = self.dir / "metadata.db"
        self.root = self.dir / "root"

    def command(self, *arguments, **flags):
        """The argument vector of a rekindle command."""
        words = [str(BIN / "rekindle"), *map(str, arguments)]
        for name, value in flags.items():
            words.append("--%s=%s" % (name.replace("_", "-"), value))
        return words

    def run_command(self, *arguments, **flags):
        return subprocess.run(
            self.command(*arguments, **flags), capture_output=True, text=True, cwd=self.dir, env=ENVIRONMENT,
            timeout=self.timeout)

    def step(self, verb, **flags):
        flags = {"pipeline": "penguin", "db": self.db, "pipeline_root": self.root, **flags}
        return self.run_command(verb, **flags)

    def ok(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def report(self, verb, **flags):
        """Runs a step that must succeed; its JSON report."""
        return json.loads(self.ok(self.step(verb, output="json", **flags)).stdout)

    def query(self, *arguments):
        result = self.run_command("metadata", *arguments, db=self.db, output="json")
        return json.loads(self.ok(result).stdout)

    def prepare(self, run="r1", csv=PENGUINS):
        """example-gen and schema-gen."""
        self.report("example-gen", run_id=run, input=csv, null_value="NA")
        self.report("schema-gen", run_id=run)

    def train(self, run="r1", **flags):
        return self.report("train", **{"run_id": run, "label_key": "species", "train_steps": 200, **flags})

    def assert_refused(self, result, exit_code, *fragments):
        """One sentence on stderr that holds the fragments, and that exit code."""
        self.assertEqual(result.returncode, exit_code, result.stdout + result.stderr)
        last = result.stderr.strip().splitlines()[-1]
        self.assertTrue(last.startswith("rekindle: "), last)
        for fragment in fragments:
            self.assertIn(str(fragment), last)
        for noise in ("Traceback", "terminate called", "Aborted", "INTERNAL"):
            self.assertNotIn(noise, result.stderr)

    def wait_until(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it does not happen")
            time.sleep(0.02)

    def assert_recorded(self, *reasons):
        """The newest execution failed, for one of these reasons."""
        with sqlite3.connect(self.db) as connection:
            state, stored = connection.execute(
                "SELECT last_known_state, string_value FROM Execution JOIN ExecutionProperty ON id = execution_id "
                "WHERE ExecutionProperty.name = 'failure_reason' ORDER BY id DESC LIMIT 1").fetchone()
        self.assertEqual(state, EXECUTION_FAILED)
        self.assertIn(stored, reasons)

    def rows(self, table):
        """How many rows a table of the store has; 0 without a store."""
        if not self.db.exists():
            return 0
        with sqlite3.connect(self.db) as connection:
            return connection.execute("SELECT count(*) FROM %s" % table).fetchone()[0]

    def states(self):
        """Names of the states of all executions, oldest first."""
        return [e["last_known_state"] for e in reversed(self.query("list", "executions"))]

    def published(self, node, key):
        """What is visible below an output key, hidden names included."""
        folder = self.root / node / key
        return sorted(os.listdir(folder)) if folder.is_dir() else []


def main():
    global BIN
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(module="__main__")

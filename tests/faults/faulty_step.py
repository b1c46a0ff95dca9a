"""A training step that things happen to, and what must be true of it afterwards."""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import workspace  # noqa: E402

# In the order in which a step passes them (component/launch/stage.h).
STAGES = ["resolved", "claimed", "executed", "announced", "renamed", "published"]
COMPLETE = 3  # ml_metadata.Execution.State
TRY_AGAIN = 75  # exit code
LIVE = 2  # ml_metadata.Artifact.State
OUTPUT = 4  # ml_metadata.Event.Type
STEPS = 4000
CHECKPOINT_EVERY = 200
# Short, so that a retry does not wait long for the one that was killed.
LEASE = "1s"


def wait_for(condition, what, seconds=60):
    """Polls until the condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError("waited %d s in vain for %s" % (seconds, what))


def state_of(pid):
    """The process's state, one letter; "" when it is gone."""
    try:
        stat = pathlib.Path("/proc/%d/stat" % pid).read_text()
    except OSError:
        return ""
    return stat.rsplit(")", 1)[1].split()[0]


def descendants_of(pid):
    """Its children, theirs and so on: first the guard, then the trainer."""
    found = []
    for children in pathlib.Path("/proc/%d/task" % pid).glob("*/children"):
        try:
            pids = [int(child) for child in children.read_text().split()]
        except OSError:
            continue
        for child in pids:
            found += [child, *descendants_of(child)]
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class FaultyStep(workspace.Workspace):
    """A store with examples and a schema, and one run of the Trainer."""

    store = None  # instead of self.db: {"metadata": "grpc://..."}

    def setUp(self):
        super().setUp()
        self.begin_anew()

    def begin_anew(self):
        """A fresh store with examples and a schema, nothing trained."""
        shutil.rmtree(self.dir)
        self.faults = self.dir / "faults"
        self.faults.mkdir(parents=True)
        self.prepare()

    def where(self):
        return self.store or {"db": self.db}

    def train_command(self, **flags):
        return self.command("train", **{
            "pipeline": "penguin", "pipeline_root": self.root, "run_id": "r1", "label_key": "species",
            "train_steps": STEPS, "lease": LEASE, "output": "json", **self.where(),
            "custom_config": json.dumps({"checkpoint_interval": CHECKPOINT_EVERY, "log_interval": 1000}), **flags})

    def start(self, stop_at="", preload=False, **flags):
        """Starts the step; with `stop_at` it stops itself (SIGSTOP) at that stage."""
        environment = dict(workspace.ENVIRONMENT)
        if stop_at:
            environment["REKINDLE_STOP_AT"] = stop_at
        if preload:
            environment["LD_PRELOAD"] = str(workspace.BIN.parent / "lib" / "libfault_shim.so")
            environment["REKINDLE_FAULTS"] = str(self.faults)
        step = subprocess.Popen(self.train_command(**flags), cwd=self.dir, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, step)
        return step

    def start_until(self, stage, **options):
        """Starts the step and returns when it has stopped at the stage."""
        step = self.start(stop_at=stage, **options)
        wait_for(lambda: state_of(step.pid) == "T" or step.poll() is not None, "a stop at %s" % stage)
        self.assertIsNone(step.poll(), "the step ended before it was %s" % stage)
        return step

    def end(self, step):
        if step.poll() is None:
            kill(step.pid)
        step.communicate()

    def answer(self, step):
        """Waits for the end; the finished step with its output."""
        out, err = step.communicate(timeout=120)
        return subprocess.CompletedProcess(step.args, step.returncode, out, err)

    def trainer_of(self, step):
        """The pid of the program that trains, once there is one."""
        return wait_for(lambda: len(descendants_of(step.pid)) == 2 and descendants_of(step.pid), "a trainer")[1]

    def assert_no_model(self):
        self.assertEqual(self.select("SELECT a.id FROM Artifact a JOIN Type t ON t.id = a.type_id "
                                     "WHERE t.name = 'Model' AND a.state = ?", LIVE), [])

    def last_checkpoint(self):
        """The step that a retry must continue from; None before the first checkpoint."""
        for state in self.root.glob("Trainer/.system/stateful_working_dir/*/*/*/model_run/checkpoint"):
            return int(state.read_text().split('"')[1].rsplit("-", 1)[1])
        return None

    # --- what must be true afterwards ------------------------------------------------------------------------------

    def retry(self, **flags):
        """The same command again: it must succeed. Its report, and what it said."""
        result = subprocess.run(self.train_command(**flags), cwd=self.dir, env=workspace.ENVIRONMENT, text=True,
                                capture_output=True, timeout=120)
        return json.loads(self.ok(result).stdout), result.stderr

    def select(self, sql, *arguments):
        with sqlite3.connect("file:%s?mode=ro" % self.db, uri=True, timeout=30) as connection:
            return connection.execute(sql, arguments).fetchall()

    def assert_one_model(self, execution_id):
        """Exactly one model is published, whole, and nothing else is visible."""
        models = self.select(
            "SELECT a.id, a.state, a.uri FROM Artifact a JOIN Type t ON t.id = a.type_id WHERE t.name = 'Model'")
        self.assertEqual([state for _, state, _ in models], [LIVE])
        self.assertEqual(models[0][2], str(self.root / "Trainer/model" / str(execution_id)))
        made = self.select("SELECT execution_id FROM Event WHERE type = ? AND artifact_id = ?", OUTPUT, models[0][0])
        self.assertEqual(made, [(execution_id,)])
        self.ok(self.run_command("metadata", "check", **self.where()))

    def assert_nothing_left(self, execution_id):
        """After `reap` nothing runs, and only what is recorded is on the disk."""
        self.ok(self.run_command("reap", pipeline="penguin", pipeline_root=self.root, folder_age="0s", **self.where()))
        unfinished = self.select("SELECT id FROM Execution WHERE last_known_state <> ?", COMPLETE)
        self.assertEqual(unfinished, [])
        for key in ("model", "model_run"):
            self.assertEqual(self.published("Trainer", key), [str(execution_id)])
        self.assertEqual(list(self.root.glob("Trainer/.system/stateful_working_dir/*")), [])

    def assert_recovers(self):
        """A retry completes the step, continuing from the last checkpoint if it has to train again."""
        checkpoint = self.last_checkpoint()
        report, said = self.retry()
        trained_again = "before training:" in said or "resumed at step" in said
        if trained_again and checkpoint is not None:
            self.assertIn("resumed at step %d of" % checkpoint, said)
            self.assertEqual(report["execution_properties"]["resumed_from_step"], checkpoint)
        self.assert_one_model(report["execution_id"])
        self.assert_nothing_left(report["execution_id"])
        return report

"""rekindle train in several processes: one step, one model, whatever happens to a worker."""

import json
import os
import pathlib
import signal
import subprocess

import workspace

TRY_AGAIN, USAGE = 75, 2


def worker_pid(folder, index):
    """The process of a worker whose executor input is in `folder`."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode().split("\0")
            variables = (process / "environ").read_bytes().decode().split("\0")
        except (OSError, UnicodeDecodeError):
            continue
        config = [v for v in variables if v.startswith("TF_CONFIG=")]
        if any(word.startswith("--executor_input=%s" % folder) for word in words) and config:
            if json.loads(config[0].split("=", 1)[1])["task"]["index"] == index:
                return int(process.name)
    return None


class TrainWorkersTest(workspace.Workspace):

    def start(self, **flags):
        flags = {"pipeline": "penguin", "db": self.db, "pipeline_root": self.root, "run_id": "r1", "label_key": "species",
                 "workers": 2, "output": "json", "train_steps": 1000, **flags}
        process = subprocess.Popen(self.command("train", **flags), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.dir, env=workspace.ENVIRONMENT)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for_line(self, process, start):
        for line in process.stderr:
            if line.startswith(start):
                return
        self.fail("it ended without a line that starts with '%s'" % start)

    def kill_worker(self, process, index):
        """After the first loop of steps; returns what else is printed, on stdout and stderr."""
        self.wait_for_line(process, "train | step:    100")
        os.kill(worker_pid(self.root, index), signal.SIGKILL)
        return process.communicate(timeout=200)

    def test_two_workers_make_the_model_of_one(self):
        self.prepare()
        alone = self.train("r1", base_model="none")
        together = self.train("r2", base_model="none", no_cache="true", workers=2)
        expected = alone["outputs"]["model"]["custom_properties"]
        ours = together["outputs"]["model"]["custom_properties"]
        self.assertEqual(ours["train_complete"], 1)
        self.assertEqual(ours["global_step"], expected["global_step"])
        self.assertAlmostEqual(ours["loss"], expected["loss"], delta=1e-5)

    def test_a_killed_worker_is_only_a_delay(self):
        self.prepare()
        for index in range(2):
            with self.subTest(worker=index):
                process = self.start(run_id="k%d" % index, base_model="none", no_cache="true",
                                     custom_config='{"checkpoint_interval": 100}')
                stdout, stderr = self.kill_worker(process, index)
                self.assertEqual(process.returncode, 0, stderr)
                self.assertIn("worker %d was ended by signal 9" % index, stderr)
                self.assertIn("starting all 2 workers again", stderr)
                model = json.loads(stdout)["outputs"]["model"]["custom_properties"]
                self.assertEqual((model["global_step"], model["train_complete"]), (1000, 1))

    def test_without_restarts_the_step_may_be_tried_again(self):
        self.prepare()
        process = self.start(worker_restarts=0)
        _, stderr = self.kill_worker(process, 1)
        self.assertEqual(process.returncode, TRY_AGAIN, stderr)
        # The chief may find out that a worker is gone, and say so, before it is ended.
        self.assert_recorded("CHILD_EXIT_CODE", "EXECUTOR_ERROR")

    def test_sigterm_writes_a_checkpoint_and_the_retry_goes_on(self):
        self.prepare()
        process = self.start(train_steps=2000)
        self.wait_for_line(process, "train | step:    100")
        process.terminate()
        _, stderr = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, stderr)
        report = self.train("r1", workers=2, train_steps=2000)
        self.assertGreaterEqual(report["execution_properties"]["resumed_from_step"], 100)

    def test_wrong_numbers_are_refused(self):
        for flags, sentence in [({"workers": 0}, "--workers is 0, expected 1 to 64"),
                                ({"workers": 65}, "--workers is 65"),
                                ({"workers": 2, "worker_restarts": -1}, "--worker-restarts is -1"),
                                ({"worker_restarts": 1}, "--worker-restarts is given without --workers")]:
            with self.subTest(flags=flags):
                self.assert_refused(self.step("train", run_id="r1", label_key="species", **flags), USAGE, sentence)


if __name__ == "__main__":
    workspace.main()

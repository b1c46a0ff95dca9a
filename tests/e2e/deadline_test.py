"""Training against the clock, and against whoever stops it."""

import json
import random
import signal
import subprocess
import time

import workspace

FOREVER = 100_000_000  # steps


class DeadlineTest(workspace.Workspace):

    def test_a_deadline_gives_a_partial_model_in_time(self):
        self.prepare()
        progress = self.dir / "progress"
        begun = time.time()
        result = self.ok(self.step("train", run_id="r1", label_key="species", train_steps=FOREVER, deadline="30s",
                                   progress_file=progress))
        self.assertLess(time.time() - begun, 30)
        self.assertIn("partial", result.stdout)
        [model] = self.query("list", "artifacts", "--type=Model")
        properties = self.query("get", "artifact", model["id"])["custom_properties"]
        self.assertEqual(properties["train_complete"], 0)
        self.assertGreater(properties["global_step"], 0)
        self.assertGreater(properties["accuracy"], 0.5)
        self.assertEqual(self.states()[-1], "COMPLETE")
        done, total = progress.read_text().split("/")
        self.assertEqual((int(done), int(total)), (properties["global_step"], FOREVER))

    def test_no_time_at_all_is_a_failure_that_may_be_retried(self):
        self.prepare()
        result = self.step("train", run_id="r1", label_key="species", train_steps=FOREVER, deadline="2020-01-01T00:00:00Z")
        self.assert_refused(result, 75, "deadline")
        self.assert_recorded("DEADLINE")

    def test_progress_ends_whole(self):
        self.prepare()
        progress = self.dir / "progress"
        self.train("r1", progress_file=progress)
        self.assertEqual(progress.read_text(), "200/200")


class StopAtAnyMomentTest(workspace.Workspace):

    def test_a_retry_goes_on_wherever_sigterm_came(self):
        seed = random.randrange(10**6)
        print("seed %d" % seed)
        moments = random.Random(seed)
        self.prepare()
        reached = 0
        for _ in range(3):
            process = self.start_training()
            time.sleep(moments.uniform(0, 6))
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=120)
            self.assertIn(process.returncode, (143, -signal.SIGTERM), errors)
            saved = self.last_checkpoint()
            self.assertGreaterEqual(saved, reached, "nothing that was saved is lost")
            reached = saved
        process = self.start_training()
        said = ""
        while "train |" not in said:
            said += process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
        if reached > 0:
            self.assertIn("restored step %d from" % reached, said)

    def start_training(self):
        flags = dict(pipeline="penguin", db=self.db, pipeline_root=self.root, run_id="r1", label_key="species",
                     train_steps=FOREVER, custom_config='{"checkpoint_interval": 500}')
        return subprocess.Popen(self.command("train", **flags), cwd=self.dir, env=workspace.ENVIRONMENT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def last_checkpoint(self):
        folders = (self.root / "Trainer/.system/stateful_working_dir").glob("*/*/*/model_run")
        return max((int(f.name.split("-")[1].split(".")[0]) for folder in folders for f in folder.glob("ckpt-*.index")),
                   default=0)


if __name__ == "__main__":
    workspace.main()

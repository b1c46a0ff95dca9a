"""rekindle-trainer --experiment, as a user runs it: modes, settings, files, resuming, and what goes wrong.

    experiment_test.py TRAINER
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TRAINER = sys.argv.pop(1)


class ExperimentTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def command(self, name, *flags, experiment="penguin/local", **overrides):
        words = [TRAINER, "--experiment=" + experiment, "--model_dir=%s" % (self.dir / name), *flags]
        if overrides:
            words.append("--params_override=" + ",".join(
                "%s=%s" % (key.replace("__", "."), value) for key, value in overrides.items()))
        return words

    def run_trainer(self, *arguments, **overrides):
        return subprocess.run(self.command(*arguments, **overrides), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=120)

    def ok(self, *arguments, **overrides):
        done = self.run_trainer(*arguments, **overrides)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def refused(self, exit_code, *words, done):
        self.assertEqual(done.returncode, exit_code, done.stdout)
        last = done.stdout.strip().split("\n")[-1]
        for word in words:
            self.assertIn(word, last)

    def weights(self, name, step):
        """The bytes of a checkpoint's variables."""
        return (self.dir / name / ("ckpt-%d.data-00000-of-00001" % step)).read_bytes()

    def test_each_mode_does_what_its_name_says(self):
        trained = self.ok("run", "--mode=train", trainer__train_steps=200)
        self.assertIn("train | step:    200", trained)
        self.assertNotIn("eval  |", trained)
        self.assertIn("eval  | step:    200", self.ok("run", "--mode=eval", trainer__train_steps=200))
        both = self.ok("both", "--mode=train_and_eval", trainer__train_steps=200, trainer__validation_interval=100)
        self.assertIn("eval  | step:    100", both)
        self.assertIn("eval  | step:    200", both)
        post = self.ok("post", "--mode=train_and_post_eval", trainer__train_steps=200)
        self.assertEqual(post.count("eval  |"), 1)

    def test_continuous_evaluation_sees_checkpoints_until_the_last_step(self):
        watcher = subprocess.Popen(
            self.command("run", "--mode=continuous_eval", trainer__train_steps=300, trainer__continuous_eval_timeout=60),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ok("run", "--mode=train", trainer__train_steps=300, trainer__checkpoint_interval=100)
        out, _ = watcher.communicate(timeout=100)
        self.assertEqual(watcher.returncode, 0, out)
        self.assertIn("eval  | step:    300", out)

    def test_files_set_what_flags_then_override_and_all_of_it_is_saved(self):
        first, second = self.dir / "a.yaml", self.dir / "b.yaml"
        first.write_text("trainer: {train_steps: 30, max_to_keep: 7}\ntask: {model: {dnn: {hidden_units: [4]}}}\n")
        second.write_text("trainer: {train_steps: 20}\n")
        self.ok("run", "--config_file=%s" % first, "--config_file=%s" % second, trainer__steps_per_loop=10,
                trainer__summary_interval=10)
        saved = (self.dir / "run/params.yaml").read_text()
        for line in ("train_steps: 20", "max_to_keep: 7", "steps_per_loop: 10", "hidden_units: [4]"):
            self.assertIn(line, saved)
        again = self.ok("again", "--config_file=%s" % (self.dir / "run/params.yaml"))
        self.assertIn("train | step:     20", again)
        self.assertEqual(self.weights("run", 20), self.weights("again", 20))

    def test_a_run_that_is_interrupted_anywhere_ends_as_one_that_is_not(self):
        seed = random.randrange(10**6)
        random.seed(seed)
        settings = dict(trainer__train_steps=3000, trainer__checkpoint_interval=100)
        self.ok("whole", **settings)
        for number in range(4):
            name = "stopped%d" % number
            attempt = 0
            while not (self.dir / name / "ckpt-3000.index").exists():
                attempt += 1
                process = subprocess.Popen(self.command(name, **settings), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                time.sleep(random.uniform(0.2, 0.6) * attempt)  # A busy machine takes long to start it.
                process.send_signal(random.choice([signal.SIGTERM, signal.SIGKILL, signal.SIGINT]))
                process.communicate()
            self.assertEqual(self.weights(name, 3000), self.weights("whole", 3000), "seed %d" % seed)

    def test_a_stopped_run_says_so_and_has_a_checkpoint(self):
        process = subprocess.Popen(self.command("run", trainer__train_steps=10**9), stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        for line in process.stdout:
            if line.startswith("train"):
                break
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, out)
        self.assertIn("continues from its checkpoint", out)
        self.assertTrue((self.dir / "run/checkpoint").exists())

    def test_the_best_checkpoint_stays_the_best(self):
        settings = dict(trainer__best_checkpoint_export_subdir="best", trainer__best_checkpoint_eval_metric="accuracy",
                        trainer__validation_interval=100)
        self.ok("run", "--mode=train_and_eval", trainer__train_steps=300, **settings)
        info = json.loads((self.dir / "run/best/info.json").read_text())
        self.assertGreater(info["accuracy"], 0.9)
        step = info["best_ckpt_global_step"]
        self.assertTrue((self.dir / "run/best" / ("best_ckpt-%d.index" % step)).exists())
        self.ok("run", "--mode=train_and_eval", trainer__train_steps=400, **settings)
        again = json.loads((self.dir / "run/best/info.json").read_text())
        self.assertGreaterEqual(again["accuracy"], info["accuracy"])

    def test_every_mode_evaluates_and_exports_the_averages_of_the_weights(self):
        settings = dict(trainer__train_steps=40, trainer__optimizer_config__ema="{average_decay: 0.999, dynamic_decay: false}",
                        trainer__continuous_eval_timeout=60)
        lines, exports = [], []
        for mode in ("train_and_eval", "eval", "continuous_eval"):
            model = self.dir / mode
            out = self.ok("run", "--mode=" + mode, "--export_dir=%s" % model, **settings)
            lines.append([line for line in out.split("\n") if line.startswith("eval  | step:     40")])
            exports.append((model / "variables/variables.data-00000-of-00001").read_bytes())
        self.assertEqual(lines[0:1] * 3, lines)
        self.assertEqual(exports[0:1] * 3, exports)
        plain = self.ok("run", "--mode=train_and_eval", trainer__train_steps=40)
        self.assertNotIn(lines[0][0], plain)
        self.refused(1, "moving averages", "params.yaml", done=self.run_trainer("run", "--mode=eval", trainer__train_steps=40))

    def test_a_run_goes_on_from_the_best_checkpoint_that_a_watcher_kept(self):
        settings = dict(trainer__train_steps=40)
        best = dict(trainer__best_checkpoint_export_subdir="best", trainer__best_checkpoint_eval_metric="accuracy",
                    trainer__continuous_eval_timeout=60)
        self.ok("run", **settings)
        self.ok("run", "--mode=continuous_eval", **settings, **best)
        shutil.copytree(self.dir / "run/best", self.dir / "resumed")
        settings["trainer__train_steps"] = 60
        self.assertIn("restored step 40", self.ok("resumed", **settings))
        self.ok("run", **settings)
        self.assertEqual(self.weights("resumed", 60), self.weights("run", 60))

    def test_a_watcher_that_is_told_to_stop_stops(self):
        watcher = subprocess.Popen(self.command("run", "--mode=continuous_eval", trainer__train_steps=50),
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ok("run", trainer__train_steps=20)
        for line in watcher.stdout:
            if line.startswith("eval"):
                break
        watcher.send_signal(signal.SIGTERM)
        out, _ = watcher.communicate(timeout=60)
        self.assertEqual(watcher.returncode, 143, out)

    def test_a_run_may_be_told_not_to_save_when_it_is_stopped(self):
        process = subprocess.Popen(
            self.command("run", trainer__train_steps=10**9, trainer__checkpoint_interval=10**9,
                         trainer__preemption_on_demand_checkpoint="false"),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in process.stdout:
            if line.startswith("train"):
                break
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, out)
        self.assertFalse((self.dir / "run/checkpoint").exists())

    def test_an_initial_checkpoint_is_a_folder_or_a_file_and_is_not_read_when_resuming(self):
        self.ok("first", trainer__train_steps=100)
        self.ok("second", trainer__train_steps=1, task__init_checkpoint=self.dir / "first")
        self.ok("third", trainer__train_steps=1, task__init_checkpoint=self.dir / "first/ckpt-100")
        self.assertEqual(self.weights("second", 1), self.weights("third", 1))
        shutil.rmtree(self.dir / "first")
        self.ok("second", trainer__train_steps=2, task__init_checkpoint=self.dir / "first")
        self.refused(1, "no checkpoint", done=self.run_trainer("fourth", task__init_checkpoint=self.dir / "first"))

    def test_a_model_starts_from_one_thing_only(self):
        self.ok("first", "--export_dir=%s" % (self.dir / "model"), trainer__train_steps=100)
        self.refused(1, "init_checkpoint", "base_model", "one of them", done=self.run_trainer(
            "second", task__init_checkpoint=self.dir / "first", task__base_model=self.dir / "model"))

    def test_a_checkpoint_of_another_model_is_refused(self):
        self.ok("run", trainer__train_steps=10)
        self.refused(1, "of another model", "dense/kernel", done=self.run_trainer(
            "run", "--params_override=task: {model: {dnn: {hidden_units: [5]}}}"))

    def test_what_is_mistyped_gets_the_nearest_name(self):
        self.refused(1, "penguin/locl", "penguin/local", done=self.run_trainer("run", experiment="penguin/locl"))
        self.refused(1, "train_stps", "train_steps", done=self.run_trainer("run", trainer__train_stps=3))
        self.refused(1, "adm", "adam", done=self.run_trainer("run", trainer__optimizer_config__optimizer__type="adm"))
        self.refused(2, "--modle_dir", "--model_dir", done=subprocess.run(
            [TRAINER, "--experiment=penguin/local", "--modle_dir=x"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True))
        self.refused(1, "fly", "train_and_eval", done=self.run_trainer("run", "--mode=fly"))

    def test_a_value_of_the_wrong_type_names_its_path(self):
        self.refused(1, "trainer.train_steps", "many", done=self.run_trainer("run", trainer__train_steps="many"))

    def test_a_loss_that_is_no_number_ends_the_run(self):
        rate = "trainer__optimizer_config__learning_rate__constant__learning_rate"
        self.refused(1, "the loss is", "learning_rate", done=self.run_trainer("run", **{
            "trainer__optimizer_config__optimizer__type": "sgd", rate: "1e30"}))

    def test_recovery_goes_back_to_the_checkpoint_and_gives_up_in_the_end(self):
        rate = "trainer__optimizer_config__learning_rate__constant__learning_rate"
        self.ok("run", trainer__train_steps=100, trainer__optimizer_config__optimizer__type="sgd", **{rate: "0.01"})
        self.refused(1, "recovery_max_trials", done=self.run_trainer("run", trainer__train_steps=1000, **{
            "trainer__optimizer_config__optimizer__type": "sgd", rate: "1e30", "trainer__recovery_max_trials": 2}))

    def test_a_damaged_file_is_named_with_the_place(self):
        self.ok("run", trainer__train_steps=1)
        records = (self.dir / "run/penguins/train.tfrecord").read_bytes()
        schema = self.dir / "run/penguins/schema.pbtxt"
        damaged = self.dir / "damaged.tfrecord"
        for bytes_left in (records[:len(records) // 2 + 5], records[:500] + bytes([records[500] ^ 1]) + records[501:]):
            damaged.write_bytes(bytes_left)
            done = self.run_trainer("damaged", experiment="tabular/classification", task__label_key="species",
                                    task__schema_path=schema, task__train_data__input_path=damaged,
                                    trainer__train_steps=100)
            self.refused(1, "damaged.tfrecord", "offset", done=done)
            shutil.rmtree(self.dir / "damaged", ignore_errors=True)

    def test_an_empty_split_and_a_missing_file_are_named(self):
        self.ok("run", trainer__train_steps=1)
        schema = self.dir / "run/penguins/schema.pbtxt"
        empty = self.dir / "empty.tfrecord"
        empty.write_bytes(b"")
        settings = dict(experiment="tabular/classification", task__label_key="species", task__schema_path=schema)
        self.refused(1, "no example", "empty.tfrecord",
                     done=self.run_trainer("empty", task__train_data__input_path=empty, **settings))
        self.refused(1, "missing.tfrecord",
                     done=self.run_trainer("missing", task__train_data__input_path=self.dir / "missing.tfrecord", **settings))

    def test_a_malformed_tf_config_is_a_sentence(self):
        done = subprocess.run(self.command("run"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "TF_CONFIG": "{"}, timeout=60)
        self.refused(1, "TF_CONFIG", done=done)


if __name__ == "__main__":
    unittest.main()

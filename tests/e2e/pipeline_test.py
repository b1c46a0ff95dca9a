"""The penguin pipeline from CSV to a warm-started model, command by command."""

import json
import pathlib
import signal
import subprocess
import time

import workspace


class PipelineTest(workspace.Workspace):

    def test_second_training_starts_where_the_first_one_ended(self):
        self.prepare()
        cold = self.train("r1")
        warm = self.train("r2")

        cold_model = cold["outputs"]["model"]
        warm_model = warm["outputs"]["model"]
        first = cold_model["custom_properties"]
        second = warm_model["custom_properties"]
        self.assertNotIn("base_model", cold["inputs"])
        self.assertEqual(warm["inputs"]["base_model"][0]["id"], cold_model["id"])
        self.assertEqual(second["warm_started_from"], cold_model["id"])
        self.assertGreaterEqual(first["accuracy"], 0.90)
        self.assertGreaterEqual(second["accuracy"], 0.90)
        # Before its first step the warm run is where the cold one ended, and
        # clearly below where that one began.
        self.assertAlmostEqual(second["first_eval_loss"], first["loss"], delta=1e-4)
        self.assertLess(second["first_eval_loss"], first["first_eval_loss"] / 2)

    def test_warm_start_is_recorded_variable_by_variable(self):
        self.prepare()
        self.train("r1")
        warm = self.train("r2")
        variables = json.loads(warm["execution_properties"]["warm_start_variables"])
        self.assertIn("logits/kernel", [v["name"] for v in variables])
        self.assertTrue(all(v["restored"] for v in variables), variables)

    def test_other_shapes_train_and_say_what_was_not_restored(self):
        self.prepare()
        self.train("r1", custom_config='{"hidden_units": [16, 16]}')
        result = self.ok(self.step("train", run_id="r2", label_key="species", train_steps=50, output="json",
                                   custom_config='{"hidden_units": [16, 8]}'))
        report = json.loads(result.stdout)
        variables = {v["name"]: v for v in json.loads(report["execution_properties"]["warm_start_variables"])}
        self.assertTrue(variables["dense/kernel"]["restored"])
        self.assertFalse(variables["dense_1/kernel"]["restored"])
        self.assertIn("[16,16]", variables["dense_1/kernel"]["reason"].replace(" ", ""))
        self.assertIn("dense_1/kernel", result.stderr)

    def test_base_model_none_starts_cold(self):
        self.prepare()
        self.train("r1")
        again = self.train("r2", base_model="none", no_cache="true")
        self.assertNotIn("warm_started_from", again["outputs"]["model"]["custom_properties"])

    def test_training_is_reused_only_from_the_same_base_model(self):
        self.prepare()
        cold = self.train("r1")
        warm = self.train("r2")
        same_base = self.train("r3", base_model="id:%d" % cold["outputs"]["model"]["id"])
        self.assertEqual((same_base["state"], same_base["cached_from"]), ("CACHED", warm["execution_id"]))
        cold_again = self.train("r4", base_model="none")
        self.assertEqual((cold_again["state"], cold_again["cached_from"]), ("CACHED", cold["execution_id"]))
        # The latest model is still the second, and nothing was trained from it.
        warmer = self.train("r5")
        self.assertEqual(warmer["state"], "COMPLETE")
        self.assertEqual(warmer["inputs"]["base_model"][0]["id"], warm["outputs"]["model"]["id"])

    def test_a_model_whose_files_are_gone_is_passed_over(self):
        self.prepare()
        first = self.train("r1")
        second = self.train("r2")
        for file in pathlib.Path(second["outputs"]["model"]["uri"]).rglob("saved_model.pb"):
            file.unlink()
        third = self.train("r3")
        self.assertEqual(third["inputs"]["base_model"][0]["id"], first["outputs"]["model"]["id"])

    def test_layout_is_that_of_tfx(self):
        self.prepare()
        execution = self.train("r1")["execution_id"]
        root = self.root
        self.assertTrue((root / "CsvExampleGen/examples/1/Split-train/data_tfrecord-00000-of-00001.gz").exists())
        self.assertTrue((root / "CsvExampleGen/examples/1/Split-eval/data_tfrecord-00000-of-00001.gz").exists())
        self.assertTrue((root / "SchemaGen/schema/2/schema.pbtxt").exists())
        serving = root / "Trainer/model" / str(execution) / "Format-Serving"
        self.assertTrue((serving / "saved_model.pb").exists())
        self.assertTrue((serving / "variables/variables.index").exists())
        self.assertEqual(self.published("Trainer", "model"), [str(execution)])
        self.assertEqual(self.published("Trainer", "model_run"), [str(execution)])

    def test_parameters_are_stored_as_tfx_stores_them(self):
        self.prepare()
        execution_id = self.train("r1", train_steps=100, eval_steps=5)["execution_id"]
        stored = self.query("get", "execution", execution_id)["custom_properties"]
        self.assertEqual(stored["train_args"], '{\n  "num_steps": 100\n}')
        self.assertEqual(stored["eval_args"], '{\n  "num_steps": 5\n}')

    def test_args_come_as_json_or_from_a_file(self):
        self.prepare()
        args = self.dir / "train_args.json"
        args.write_text('{"splits": ["train", "eval"], "num_steps": 20}')
        report = self.report("train", run_id="r1", label_key="species", train_args="@%s" % args)
        model = report["outputs"]["model"]["custom_properties"]
        self.assertEqual(model["global_step"], 20)

    def test_lineage_leads_from_the_second_model_to_the_csv_file(self):
        self.prepare()
        self.train("r1")
        model = self.train("r2")["outputs"]["model"]["id"]
        tree = self.ok(self.run_command("metadata", "lineage", model, db=self.db)).stdout
        self.assertIn("base_model: Model", tree)
        self.assertIn("schema: Schema", tree)
        self.assertIn("files: %s" % workspace.PENGUINS, tree)

    def test_latest_is_what_a_warm_start_takes(self):
        self.prepare()
        model = self.train("r1")["outputs"]["model"]
        latest = self.query("latest", "Model", "--pipeline=penguin")
        self.assertEqual(latest["id"], model["id"])

    def test_the_same_run_again_does_nothing_twice(self):
        self.prepare()
        first = self.train("r1")
        again = self.train("r1")
        self.assertTrue(again["finished_before"])
        self.assertEqual(again["outputs"]["model"]["id"], first["outputs"]["model"]["id"])
        self.assertEqual(self.rows("Execution"), 3)

    def test_splits_do_not_change_when_rows_are_added(self):
        lines = workspace.PENGUINS.read_text().splitlines()
        part = self.dir / "part.csv"
        part.write_text("\n".join(lines[:200]) + "\n")
        counts = []
        for run, csv in (("a", part), ("b", workspace.PENGUINS)):
            report = self.report("example-gen", run_id=run, input=csv, null_value="NA")
            counts.append(report["outputs"]["examples"]["custom_properties"])
        self.assertEqual(counts[0]["num_examples.train"] + counts[0]["num_examples.eval"], 199)
        self.assertEqual(counts[1]["num_examples.train"] + counts[1]["num_examples.eval"], 344)
        self.assertLessEqual(counts[0]["num_examples.train"], counts[1]["num_examples.train"])

    def test_equal_input_gives_equal_digests(self):
        digests = set()
        for run in ("a", "b"):
            report = self.report("example-gen", run_id=run, input=workspace.PENGUINS, null_value="NA", no_cache="true")
            digests.add(report["outputs"]["examples"]["custom_properties"]["digest"])
        self.assertEqual(len(digests), 1)

    def test_equal_trainings_give_the_same_model_byte_for_byte(self):
        self.prepare()
        digests = set()
        for run in ("a", "b"):
            report = self.train(run, base_model="none", no_cache="true")
            digests.add(report["outputs"]["model"]["custom_properties"]["digest"])
        self.assertEqual(len(digests), 1)


class InterruptionTest(workspace.Workspace):
    CONFIG = '{"log_interval": 1000, "checkpoint_interval": 1000}'

    def start_training(self, run, train_steps=100_000_000):
        """A training that would take minutes; returns once it is under way."""
        flags = dict(pipeline="penguin", db=self.db, pipeline_root=self.root, run_id=run, label_key="species",
                     train_steps=train_steps, lease="2s", custom_config=self.CONFIG)
        process = subprocess.Popen(self.command("train", **flags), cwd=self.dir, env=workspace.ENVIRONMENT,
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in process.stderr:
            if line.startswith("train |"):
                return process
        self.fail("training did not start: %s" % process.communicate()[0])

    def stop(self, process, signal_number):
        process.send_signal(signal_number)
        _, errors = process.communicate(timeout=60)
        return errors

    def test_ctrl_c_cancels_and_shows_no_model(self):
        self.prepare()
        process = self.start_training("r1")
        errors = self.stop(process, signal.SIGINT)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(self.states(), ["COMPLETE", "COMPLETE", "CANCELED"])
        self.assertEqual(self.published("Trainer", "model"), [])
        self.assertEqual(self.query("list", "artifacts", "--type=Model"), [])

    def test_sigterm_cancels_and_the_same_run_resumes(self):
        self.prepare()
        process = self.start_training("r1", train_steps=60_000)
        errors = self.stop(process, signal.SIGTERM)
        self.assertEqual(process.returncode, 143, errors)
        # The retry is the same execution and goes on from the checkpoint.
        resumed = self.train("r1", train_steps=60_000, custom_config=self.CONFIG)
        self.assertEqual(resumed["attempt"], 2)
        self.assertGreaterEqual(resumed["execution_properties"]["resumed_from_step"], 1)
        self.assertEqual(resumed["outputs"]["model"]["custom_properties"]["global_step"], 60_000)
        self.assertEqual(self.states(), ["COMPLETE", "COMPLETE", "COMPLETE"])

    def test_a_killed_launcher_takes_its_trainer_along_and_a_retry_takes_over(self):
        self.prepare()
        process = self.start_training("r1")
        process.kill()
        process.communicate(timeout=60)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.trainers():
            time.sleep(0.05)
        self.assertEqual(self.trainers(), [])
        # The store still says RUNNING, until the lease has ended; then the
        # retry, which waited for that, owns the execution.
        self.assertEqual(self.states()[-1], "RUNNING")
        retried = self.train("r1", train_steps=10)
        self.assertEqual(retried["attempt"], 2)

    def trainers(self):
        found = subprocess.run(["pgrep", "-f", "rekindle-trainer.*%s" % self.dir.name], capture_output=True, text=True)
        return found.stdout.split()


if __name__ == "__main__":
    workspace.main()

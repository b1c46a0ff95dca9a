"""What a step tells its orchestrator, in files."""

import json
import subprocess

import workspace


class ReportingTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.outputs = self.dir / "outputs"

    def exec(self, script, run="r1", environment=(), **flags):
        arguments = self.command("exec", "--output=model=Model", pipeline="p", node="N", run_id=run, db=self.db,
                                 pipeline_root=self.root, **flags)
        return subprocess.run([*arguments, "--", "sh", "-c", script], capture_output=True, text=True, cwd=self.dir,
                              env={**workspace.ENVIRONMENT, **dict(environment)}, timeout=60)

    def train(self, **more):
        """A stand-in for training that reports metrics no float format would round-trip."""
        return self.exec("touch {{outputs.model.uri}}/m; echo '{\"metrics\": {\"accuracy\": 0.30000000000000004, "
                         "\"eval/loss\": 1e-7}}' > $REKINDLE_STEP_EXECUTOR_OUTPUT", **more)

    def values(self):
        return {p.name: p.read_text() for p in self.outputs.iterdir() if p.name != "report.json"}

    def test_each_value_is_a_file(self):
        self.ok(self.train(outputs_dir=self.outputs))
        values = self.values()
        report = json.loads((self.outputs / "report.json").read_text())
        model = report["outputs"]["model"]
        self.assertEqual(values.pop("model_uri"), model["uri"])
        self.assertEqual(values.pop("model_digest"), model["custom_properties"]["digest"])
        self.assertEqual(values, {"accuracy": "0.30000000000000004", "eval_loss": "1e-07", "attempt": "1", "cached": "false",
                                  "execution_id": "1", "model_id": "1", "run_id": "r1", "state": "COMPLETE"})

    def test_the_report_is_the_one_on_stdout(self):
        result = self.ok(self.train(outputs_dir=self.outputs, format="json"))
        report = json.loads((self.outputs / "report.json").read_text())
        files = report.pop("files")
        self.assertEqual(report, json.loads(result.stdout))
        self.assertEqual(sorted(files), sorted(self.values()))

    def test_a_step_that_was_finished_before_reports_the_same(self):
        self.assertEqual(self.exec("exit 75", outputs_dir=self.outputs).returncode, 75)
        self.ok(self.train(outputs_dir=self.outputs))
        first = self.values()
        self.assertEqual(first["attempt"], "2")
        self.ok(self.train(outputs_dir=self.outputs))
        self.assertEqual(self.values(), first)

    def test_a_cache_hit_reports_the_same_values(self):
        self.ok(self.train(outputs_dir=self.outputs))
        first = self.values()
        self.ok(self.train(run="r2", outputs_dir=self.outputs))
        again = self.values()
        self.assertEqual((again["cached"], again["state"]), ("true", "CACHED"))
        own = {"cached": "false", "state": "COMPLETE", "execution_id": "1", "run_id": "r1"}
        self.assertEqual({**again, **own}, first)

    def test_a_failure_leaves_only_what_is_true(self):
        self.ok(self.train(outputs_dir=self.outputs))
        self.assertEqual(self.exec("exit 3", run="r2", outputs_dir=self.outputs).returncode, 1)
        values = self.values()
        self.assertIn("exit code 3", values.pop("failure_message"))
        self.assertEqual(values, {"attempt": "1", "execution_id": "2", "run_id": "r2", "state": "FAILED",
                                  "failure_reason": "CHILD_EXIT_CODE"})

    def test_files_of_others_stay(self):
        self.outputs.mkdir()
        (self.outputs / "mine").write_text("x")
        self.ok(self.train(outputs_dir=self.outputs))
        self.ok(self.train(run="r2", outputs_dir=self.outputs))
        self.assertEqual((self.outputs / "mine").read_text(), "x")

    def test_no_files_unless_asked_for(self):
        self.ok(self.train())
        self.assertFalse(self.outputs.exists())

    def test_in_a_pod_of_argos_they_are_in_tmp_outputs(self):
        for variable in ("ARGO_NODE_ID", "ARGO_CONTAINER_NAME"):
            with self.subTest(variable=variable):
                result = self.run_command_with({variable: "x"}, "exec", "--help")
                self.assertIn("(default: /tmp/outputs)", result.stdout)

    def run_command_with(self, environment, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True,
                              env={**workspace.ENVIRONMENT, **environment}, timeout=60)

    def test_a_folder_that_cannot_be_written_is_found_before_the_work(self):
        (self.dir / "file").write_text("in the way")
        result = self.train(outputs_dir=self.dir / "file")
        self.assert_refused(result, 1, "--outputs-dir", self.dir / "file")
        self.assertFalse(self.db.exists())

    def test_where_and_from_what_it_ran_is_recorded(self):
        self.ok(self.train(source_revision="abc123", image_digest="sha256:00"))
        recorded = self.query("get", "execution", 1)["custom_properties"]
        self.assertEqual((recorded["source_revision"], recorded["image_digest"]), ("abc123", "sha256:00"))
        self.assertRegex(recorded["rekindle_version"], r"^\d+\.\d+\.\d+$")
        self.assertTrue(recorded["hostname"])

    def test_the_summary_is_for_people(self):
        text = self.ok(self.train()).stdout
        self.assertIn("COMPLETE", text)
        self.assertRegex(text, r"accuracy +0\.3\n")
        self.assertIn(str(self.root / "N" / "model" / "1"), text)


if __name__ == "__main__":
    workspace.main()

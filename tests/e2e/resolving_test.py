"""Which artifacts a step takes, what it records of that, and what --dry-run says. The trainer is a stand-in."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import textwrap

import workspace

# Keeps the executor contract, and measures what its custom config says.
TRAINER = """\
    #!/usr/bin/env python3
    import json, pathlib, sys
    task = json.loads(pathlib.Path(sys.argv[1].split('=', 1)[1]).read_text())
    config = task['custom_config'] or {}
    serving = pathlib.Path(task['serving_model_dir'])
    serving.mkdir(parents=True)
    (serving / 'saved_model.pb').write_text('of run ' + task['run_id'])
    (pathlib.Path(task['model_run_dir']) / 'log').write_text('')
    pathlib.Path(task['output_path']).write_text(json.dumps({
        'error': None, 'train_complete': config.get('complete', True), 'global_step': 1, 'resumed_from_step': None,
        'metrics': {'score': config.get('score', 0.5)}, 'warm_start': None, 'environment': {}}))
    """


class ResolvingTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        trainer = self.dir / "trainer"
        trainer.write_text(textwrap.dedent(TRAINER))
        trainer.chmod(trainer.stat().st_mode | stat.S_IXUSR)
        # What it writes is no model.
        self.stand_in = {"trainer": trainer, "skip_validation": "true"}
        self.prepare()

    def train_model(self, run, score=0.5, **flags):
        """The report of a training whose model has that score."""
        config = json.dumps({"score": score, **flags.pop("config", {})})
        return self.report("train", run_id=run, **self.stand_in, custom_config=config, **flags)

    def model_of(self, report):
        return report["outputs"]["model"]["id"]

    def base_of(self, report):
        return [artifact["id"] for artifact in report["inputs"].get("base_model", [])]

    def planned(self, **flags):
        """Ids of the models that a training would start from."""
        plan = self.report("train", run_id="planned", **self.stand_in, dry_run="true", **flags)
        return [artifact["id"] for artifact in plan["inputs"]["base_model"]["chosen"]]

    def why(self, report, key="base-model"):
        return self.query("why", key, report["execution_id"])[0]["inputs"][0]

    def snapshot(self):
        """Every file below the test's folder, with its size and time."""
        return sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns)
                      for path in self.dir.rglob("*") if not path.name.endswith(("-shm", "-wal")))

    # --- references

    def test_the_best_model_is_taken_although_others_are_newer(self):
        best = self.train_model("r1", score=0.9)
        self.train_model("r2", score=0.7)
        report = self.train_model("r3", base_model="best:score:max")
        self.assertEqual(self.base_of(report), [self.model_of(best)])

    def test_a_model_cut_short_is_taken_only_if_allowed(self):
        whole = self.model_of(self.train_model("r1"))
        partial = self.model_of(self.train_model("r2", config={"complete": False}))
        for reference in ("latest", "latest-created:1", "best:score:max"):
            self.assertEqual(self.planned(base_model=reference), [whole])
            self.assertEqual(self.planned(base_model=reference, allow_partial="true"), [partial])
        self.assertEqual(self.planned(base_model="id:%d" % partial), [partial])

    def test_nothing_is_blessed_until_somebody_blesses(self):
        self.train_model("r1")
        self.assertEqual(self.base_of(self.train_model("r2", base_model="latest-blessed")), [])

    def test_an_input_for_one_artifact_refuses_more(self):
        self.train_model("r1")
        self.train_model("r2")
        result = self.step("train", run_id="r3", **self.stand_in, base_model="latest-created:2")
        self.assert_refused(result, 1, "input 'base_model': latest-created:2 came to 2 artifacts")
        self.assert_recorded("INPUT_UNUSABLE")

    def test_a_wrong_reference_is_answered_with_the_forms(self):
        result = self.step("train", base_model="newest")
        self.assert_refused(result, 2, "--base-model: 'newest' does not name an artifact", "latest-created:N")
        self.assert_refused(self.step("train", base_model="best:score"), 2, "best:score:max or best:score:min")

    # --- inputs beside a step's own

    def test_an_extra_input_is_recorded_with_the_execution(self):
        first = self.train_model("r1")
        report = self.train_model("r2", base_model="none", input="teacher=Model:latest")
        self.assertEqual(report["inputs"]["teacher"][0]["id"], self.model_of(first))
        tree = self.ok(self.run_command("metadata", "lineage", self.model_of(report), db=self.db)).stdout
        self.assertIn("teacher: Model", tree)

    def test_a_mistyped_type_is_answered_with_the_nearest(self):
        result = self.step("train", run_id="r1", **self.stand_in, input="data=Exampels:latest")
        self.assert_refused(result, 3, "input 'data'", "no artifact type 'Exampels' is stored; did you mean Examples?")
        self.assert_recorded("INPUT_NOT_FOUND")

    def test_a_steps_own_input_cannot_be_given_twice(self):
        result = self.step("train", input="schema=Schema:latest")
        self.assert_refused(result, 2, "'schema' is an input already", "--schema=REF")

    def test_statistics_are_an_input_and_must_be_there_if_named(self):
        result = self.step("train", run_id="r1", **self.stand_in, statistics="latest")
        self.assert_refused(result, 3, "input 'statistics'", "no usable ExampleStatistics artifact")

    # --- what was recorded

    def test_why_tells_what_was_judged_then(self):
        first = self.train_model("r1")
        second = self.train_model("r2")
        shutil.rmtree(second["outputs"]["model"]["uri"])
        third = self.train_model("r3")
        # Afterwards everything is different.
        shutil.rmtree(first["outputs"]["model"]["uri"])
        why = self.why(third)
        self.assertTrue(why["candidates_recorded"])
        self.assertEqual(why["reference"], "latest")
        self.assertEqual([c["id"] for c in why["candidates"]], [self.model_of(second), self.model_of(first)])
        self.assertIn("cannot read", why["candidates"][0]["reason"])
        self.assertEqual([c["id"] for c in why["chosen"]], [self.model_of(first)])
        self.assertIn("unchanged", why["candidates"][1]["reason"])

    def test_a_refusal_is_recorded_too(self):
        result = self.step("train", run_id="r1", **self.stand_in, base_model="id:99")
        self.assert_refused(result, 3, "there is no artifact with id 99")
        execution = self.query("list", "executions", "--limit=1")[0]["id"]
        self.assertIn("id 99", self.query("why", "base-model", execution)[0]["inputs"][0]["refusal"])
        for form in ("table", "json", "yaml"):
            text = self.ok(self.run_command("metadata", "why", "base-model", execution, db=self.db, output=form)).stdout
            self.assertIn("id:99", text)

    # --- what the store says is not trusted

    def plant(self, artifact, folder):
        """Makes the record of an artifact say that it lies in that folder, without a digest."""
        with sqlite3.connect(self.db) as connection:
            connection.execute("UPDATE Artifact SET uri = ? WHERE id = ?", (str(folder), artifact))
            connection.execute("DELETE FROM ArtifactProperty WHERE artifact_id = ? AND name IN ('digest', "
                               "'stat_fingerprint')", (artifact,))

    def test_a_model_that_a_record_puts_elsewhere_is_not_loaded(self):
        first = self.model_of(self.train_model("r1"))
        planted = self.model_of(self.train_model("r2"))
        elsewhere = self.dir / "elsewhere"
        elsewhere.mkdir()
        self.plant(planted, elsewhere)
        report = self.train_model("r3")
        self.assertEqual(self.base_of(report), [first])
        reason = self.why(report)["candidates"][0]["reason"]
        self.assertIn("%s is not below the pipeline root %s" % (elsewhere, self.root), reason)
        result = self.step("train", run_id="r4", **self.stand_in, base_model="id:%d" % planted)
        self.assert_refused(result, 1, "input 'base_model'", "--artifact-root=DIR")
        self.assert_recorded("INPUT_UNUSABLE")

    def test_the_user_may_allow_another_folder_or_name_the_place(self):
        self.train_model("r1")
        moved = self.model_of(self.train_model("r2"))
        elsewhere = self.dir / "elsewhere"
        (elsewhere / "model").mkdir(parents=True)
        self.plant(moved, elsewhere / "model")
        for flags in ({"artifact_root": elsewhere}, {"artifact_root": "/nowhere:%s" % elsewhere},
                      {"base_model": "uri:%s" % (elsewhere / "model")}):
            self.assertEqual(self.planned(**flags), [moved], flags)
        os.environ["REKINDLE_ARTIFACT_ROOT"] = str(elsewhere)
        self.addCleanup(os.environ.pop, "REKINDLE_ARTIFACT_ROOT")
        plan = subprocess.run(self.command("train", pipeline="penguin", db=self.db, pipeline_root=self.root, run_id="p",
                                           dry_run="true", output="json", **self.stand_in),
                              capture_output=True, text=True, cwd=self.dir)
        self.assertEqual(json.loads(self.ok(plan).stdout)["inputs"]["base_model"]["chosen"][0]["id"], moved)

    def test_if_nothing_is_left_the_error_names_the_flag(self):
        elsewhere = self.dir / "elsewhere"
        elsewhere.mkdir()
        for artifact in self.query("list", "artifacts"):
            if artifact["type"] == "Examples":
                self.plant(artifact["id"], elsewhere)
        self.assert_refused(self.step("train", **self.stand_in), 3, "no usable Examples", "--artifact-root=DIR")
        self.assertEqual(self.query("latest", "Examples", "--pipeline=penguin")["uri"], str(elsewhere))
        result = self.run_command("metadata", "latest", "Examples", pipeline="penguin", pipeline_root=self.root, db=self.db)
        self.assert_refused(result, 3, "--artifact-root=DIR")

    def test_outputs_in_the_cache_that_lie_elsewhere_are_made_again(self):
        report = self.report("schema-gen", run_id="r2")
        self.assertEqual(report["state"], "CACHED")
        elsewhere = self.dir / "elsewhere"
        elsewhere.mkdir()
        self.plant(report["outputs"]["schema"]["id"], elsewhere)
        report = self.report("schema-gen", run_id="r3")
        self.assertEqual(report["state"], "COMPLETE")
        (rejected,) = self.query("why", "cache", report["execution_id"])["rejected"]
        self.assertIn("is not below the pipeline root", rejected["reason"])

    # --- dry runs

    def test_a_dry_run_says_what_would_be_taken_and_writes_nothing(self):
        first = self.train_model("r1")
        rows = self.rows("Execution")
        before = self.snapshot()
        plan = self.report("train", run_id="r2", **self.stand_in, dry_run="true")
        self.assertEqual(plan["would"], "run")
        self.assertEqual(plan["inputs"]["base_model"]["chosen"][0]["id"], self.model_of(first))
        text = self.ok(self.step("train", run_id="r2", **self.stand_in, dry_run="true")).stdout
        self.assertIn("took", text)
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(self.rows("Execution"), rows)

    def test_a_dry_run_of_a_finished_step_says_so(self):
        self.train_model("r1")
        self.assertEqual(self.report("train", run_id="r1", **self.stand_in, dry_run="true")["would"], "answer")

    def test_every_step_can_be_run_dry(self):
        self.train_model("r1")
        self.report("statistics-gen", run_id="r1")
        self.report("bless", run_id="r1", reason="looked at it")
        rows, before = self.rows("Execution"), self.snapshot()
        steps = {"example-gen": {"input": workspace.PENGUINS, "null_value": "NA"}, "statistics-gen": {}, "schema-gen": {},
                 "train": self.stand_in, "evaluate": {"label_key": "species", "threshold": "accuracy>=0.5"},
                 "bless": {"reason": "looked again"}, "push": {"destination": self.dir / "serving"},
                 "resolve": {"input": "model=Model:latest-blessed"}}
        for verb, flags in steps.items():
            with self.subTest(verb=verb):
                plan = self.report(verb, run_id="dry", dry_run="true", **flags)
                self.assertIn(plan["would"], ("run", "reuse"))
                for name, taken in plan["inputs"].items():
                    self.assertTrue(taken["chosen"] or name in ("baseline_model", "base_model"), (name, taken))
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(self.rows("Execution"), rows)

    def test_a_dry_run_without_a_store_makes_none(self):
        empty = self.dir / "empty"
        empty.mkdir()
        result = self.step("train", **self.stand_in, dry_run="true", db=empty / "m.db", pipeline_root=empty / "root")
        self.assert_refused(result, 3, "input 'examples'")
        self.assertEqual(os.listdir(empty), [])


if __name__ == "__main__":
    workspace.main()

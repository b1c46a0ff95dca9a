"""From CSV to a served model, and from the blessed model to the next one, command by command."""

import json
import os
import pathlib
import sqlite3

import tfx_records
import workspace

STANDARD_TYPES = {
    "tfx.components.evaluator.component.Evaluator": "mlmd.Evaluate",
    "tfx.components.pusher.component.Pusher": "mlmd.Deploy",
    "tfx.components.trainer.component.Trainer": "mlmd.Train",
    "PushedModel": "mlmd.Model",
}


class WholePipelineTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.serving = self.dir / "serving"

    def evaluate(self, run, *arguments, **flags):
        flags = {"pipeline": "penguin", "db": self.db, "pipeline_root": self.root, "run_id": run, "output": "json",
                 "label_key": "species", **flags}
        return self.run_command("evaluate", *arguments, **flags)

    def evaluated(self, run, *arguments, **flags):
        return json.loads(self.ok(self.evaluate(run, *arguments, **flags)).stdout)

    def prepare_by_statistics(self, run):
        self.report("example-gen", run_id=run, input=workspace.PENGUINS, null_value="NA")
        self.report("statistics-gen", run_id=run, examples="run:CsvExampleGen.examples")
        self.report("schema-gen", run_id=run, statistics="run:StatisticsGen.statistics")

    def push(self, run, blesser="Evaluator"):
        report = self.report("push", run_id=run, destination=self.serving, model="run:Trainer.model",
                             blessing="run:%s.blessing" % blesser)
        return report["outputs"]["pushed_model"]["custom_properties"]

    def test_a_model_is_measured_blessed_served_and_trained_on(self):
        self.prepare_by_statistics("r1")
        first = self.train("r1")["outputs"]["model"]
        report = self.evaluated("r1", "--slice=island", "--slice=island,sex=male", "--threshold=accuracy>=0.9",
                                "--compare=accuracy>=-0.05", outputs_dir=self.dir / "outputs")
        self.check_evaluation(report, first)
        self.check_blessing(report["outputs"]["blessing"], first)
        self.assertEqual((self.dir / "outputs" / "blessed").read_text(), "true")
        self.assertEqual(float((self.dir / "outputs" / "accuracy").read_text()),
                         report["outputs"]["evaluation"]["custom_properties"]["accuracy"])
        pushed = self.push("r1")
        self.assertTrue((self.serving / pushed["pushed_version"] / "saved_model.pb").exists())

        self.prepare_by_statistics("r2")
        second = self.train("r2", base_model="latest-blessed")["outputs"]["model"]
        self.assertEqual(second["custom_properties"]["warm_started_from"], first["id"])
        report = self.evaluated("r2", "--threshold=accuracy>=0.9", "--compare=accuracy>=-0.5")
        self.assertEqual(report["inputs"]["baseline_model"][0]["id"], first["id"])
        blessing = report["outputs"]["blessing"]["custom_properties"]
        self.assertEqual((blessing["blessed"], blessing["baseline_model_id"]), (1, first["id"]))
        self.report("bless", run_id="r2", model="run:Trainer.model", reason="looked at it")
        self.assertGreater(int(self.push("r2", "Blesser")["pushed_version"]), int(pushed["pushed_version"]))
        self.check_records()

    def check_evaluation(self, report, model):
        """What is measured is what the trainer measured on the same split, and every slice is there."""
        evaluation = report["outputs"]["evaluation"]
        for name in ("accuracy", "auc", "log_loss", "recall/Gentoo"):
            trained = model["custom_properties"].get(name, model["custom_properties"].get("loss"))
            self.assertAlmostEqual(evaluation["custom_properties"][name], trained, delta=1e-4, msg=name)
        files = pathlib.Path(evaluation["uri"])
        self.assertEqual(sorted(os.listdir(files)), ["eval_config.json", "metrics-00000-of-00001.tfrecord",
                                                     "metrics.json", "validations.tfrecord"])
        people = json.loads((files / "metrics.json").read_text())
        self.assertEqual(people["verdict"], "blessed")
        slices = [{v["feature"]: v["bytes"] for v in s["slice"]} for s in people["models"][0]["slices"]]
        for island in ("Biscoe", "Dream", "Torgersen"):
            self.assertIn({"island": island}, slices)
            self.assertIn({"island": island, "sex": "male"}, slices)
        config = json.loads((files / "eval_config.json").read_text())["evalConfig"]
        self.assertEqual(config["modelSpecs"][0]["labelKey"], "species")

    def check_blessing(self, blessing, model):
        self.assertEqual(os.listdir(blessing["uri"]), ["BLESSED"])
        properties = blessing["custom_properties"]
        self.assertEqual((properties["blessed"], properties["current_model_id"], properties["current_model"]),
                         (1, model["id"], model["uri"]))
        self.assertNotIn("baseline_model_id", properties)

    def check_records(self):
        """Types, their base types and the keys of events are those of TFX."""
        with sqlite3.connect(self.db) as connection:
            facts = tfx_records.StoreFacts(connection, "r2").facts
        for name, base in STANDARD_TYPES.items():
            self.assertEqual(facts["type %s" % name.rsplit(".", 1)[-1], "base_type"], base)
        for record, what, artifact in (("execution StatisticsGen", "event INPUT examples", "Examples"),
                                       ("execution StatisticsGen", "event OUTPUT statistics", "ExampleStatistics"),
                                       ("execution SchemaGen", "event INPUT statistics", "ExampleStatistics"),
                                       ("execution SchemaGen", "event OUTPUT schema", "Schema"),
                                       ("execution Evaluator", "event INPUT examples", "Examples"),
                                       ("execution Evaluator", "event INPUT model", "Model"),
                                       ("execution Evaluator", "event INPUT baseline_model", "Model"),
                                       ("execution Evaluator", "event OUTPUT evaluation", "ModelEvaluation"),
                                       ("execution Evaluator", "event OUTPUT blessing", "ModelBlessing"),
                                       ("execution Pusher", "event INPUT model", "Model"),
                                       ("execution Pusher", "event INPUT model_blessing", "ModelBlessing"),
                                       ("execution Pusher", "event OUTPUT pushed_model", "PushedModel")):
            self.assertTrue(facts[record, what].endswith(" " + artifact), facts[record, what])
        for name in ("eval_config", "example_splits", "fairness_indicator_thresholds"):
            self.assertIn(("execution Evaluator", "custom_property " + name), facts)

    def test_a_model_that_is_not_good_enough_is_told_so_and_not_pushed(self):
        self.prepare("r1")
        self.train("r1")
        report = self.evaluated("r1", "--threshold=accuracy>=0.999", "--threshold=auc>=0.5")
        blessing = report["outputs"]["blessing"]
        self.assertEqual(os.listdir(blessing["uri"]), ["NOT_BLESSED"])
        self.assertEqual(blessing["custom_properties"]["blessed"], 0)
        self.assertIn("expected accuracy >= 0.999", blessing["custom_properties"]["blessing_message"])
        strict = self.evaluate("r1", "--threshold=accuracy>=0.999", "--fail-if-not-blessed")
        self.assertEqual(strict.returncode, 1, strict.stderr)
        self.assertEqual(self.push("r1")["pushed"], 0)
        self.assertFalse(self.serving.exists())

        unjudged = self.evaluated("r2", "--compare=accuracy>=0")["outputs"]["blessing"]
        self.assertEqual(os.listdir(unjudged["uri"]), [])
        self.assertNotIn("blessed", unjudged["custom_properties"])
        self.assertIn("no baseline model to compare with", unjudged["custom_properties"]["blessing_message"])
        # The same again is not measured again.
        self.assertEqual(self.evaluated("r3", "--compare=accuracy>=0")["state"], "CACHED")


if __name__ == "__main__":
    workspace.main()

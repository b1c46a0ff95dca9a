"""Every pipeline in examples/ runs on this machine, as its README says.

Runs in the environment that has TensorFlow: its own interpreter is the one for the module in Python.
"""

import csv
import json
import pathlib
import shutil
import sys

import workspace

FAILED, USAGE = 1, 2
EXAMPLES = workspace.REPO / "examples"


class Run:
    """A workflow that has ended."""

    def __init__(self, workflow):
        self.status = workflow["status"]
        self.nodes = list(self.status["nodes"].values())

    def outputs(self, task):
        """The output parameters of a task, the last attempt's."""
        found = [node for node in self.nodes if node["displayName"] == task and node.get("outputs")]
        assert found, "no task '%s' in %s" % (task, [node["displayName"] for node in self.nodes])
        return {p["name"]: p.get("value") for p in found[-1]["outputs"].get("parameters", [])}

    def phase(self, task):
        [phase] = {node["phase"] for node in self.nodes if node["displayName"] == task}
        return phase


class ExamplesTest(workspace.Workspace):

    timeout = 300

    def setUp(self):
        super().setUp()
        self.db = self.dir / "rekindle.db"  # where it is unless said

    def run_file(self, example, **parameters):
        words = ["--parameter=%s=%s" % (name.replace("_", "-"), value) for name, value in parameters.items()]
        return self.run_command("run", EXAMPLES / example, *words, output="json")

    def run_example(self, example, **parameters):
        run = Run(json.loads(self.ok(self.run_file(example, **parameters)).stdout))
        self.assertEqual(run.status["phase"], "Succeeded")
        return run

    def test_penguin_twice_the_second_model_starts_from_the_first(self):
        first = self.run_example("penguin/pipeline.yaml", data=workspace.PENGUINS)
        self.assertEqual(first.outputs("train")["warm-started-from"], "none")
        self.assertEqual(first.outputs("evaluate")["blessed"], "true")
        self.assertEqual(first.outputs("push")["pushed"], "true")

        second = self.run_example("penguin/pipeline.yaml", data=workspace.PENGUINS)
        self.assertEqual(second.outputs("train")["warm-started-from"], first.outputs("train")["model-id"])
        self.assertEqual(second.outputs("examples")["cached"], "true")
        self.assertGreaterEqual(float(second.outputs("train")["accuracy"]), 0.9)
        self.assertIn(len(list((self.dir / "serving" / "penguin").iterdir())), (1, 2))
        self.assertNotIn("RUNNING", self.states())

    def test_penguin_every_night_takes_the_days_that_are_there(self):
        for day in ("2026-11-15", "2026-11-16"):
            folder = self.dir / "data" / "penguin" / day
            folder.mkdir(parents=True)
            shutil.copy(workspace.PENGUINS, folder)
        run = self.run_example("penguin/nightly.yaml")
        self.assertEqual(run.outputs("train")["train-complete"], "true")
        self.assertIn(run.outputs("evaluate")["blessed"], ("true", "false"))

    def test_taxi_needs_no_files(self):
        run = self.run_example("taxi/pipeline.yaml")
        self.assertEqual(run.outputs("evaluate")["blessed"], "true")
        report = json.loads(run.outputs("rides")["report"])
        rides = pathlib.Path(report["outputs"]["rides"]["uri"]) / "rides.csv"
        with open(rides, newline="") as file:
            self.assertEqual(sum(1 for _ in csv.DictReader(file)), 4000)

    def test_the_best_of_several_settings_goes_on(self):
        run = self.run_example("hyperparameters/pipeline.yaml", data=workspace.PENGUINS)
        models = self.query("list", "artifacts", "--type=Model")
        self.assertEqual(len(models), 3)
        best = max(models, key=lambda model: (model["custom_properties"]["accuracy"], model["id"]))
        chosen = json.loads(run.outputs("choose")["report"])["outputs"]["model"]
        self.assertEqual(chosen["id"], best["id"])
        self.assertEqual(run.phase("push"), "Succeeded")

    def test_two_workers_train_one_model(self):
        run = self.run_example("multi_worker/pipeline.yaml", data=workspace.PENGUINS)
        self.assertGreaterEqual(float(run.outputs("train")["accuracy"]), 0.9)

    def test_several_pods_are_for_a_cluster_and_that_is_said(self):
        result = self.run_file("multi_worker/pods.yaml", data=workspace.PENGUINS)
        self.assertEqual(result.returncode, USAGE, result.stdout + result.stderr)
        self.assertRegex(result.stderr, r"pods.yaml:\d+:\d+: .* a name in the subdomain 'rekindle-workers'")
        self.assertFalse(self.db.exists(), "nothing has started")

    def test_a_module_in_python(self):
        run = self.run_example("python_module/pipeline.yaml", data=workspace.PENGUINS, python=sys.executable,
                               module=EXAMPLES / "python_module" / "penguin_keras" / "penguin_module.py",
                               train_steps=20)
        self.assertTrue(pathlib.Path(run.outputs("train")["model-uri"], "Format-Serving", "saved_model.pb").exists())

    def test_commands_of_which_the_second_run_repeats_none(self):
        given = {"data": workspace.PENGUINS, "program": EXAMPLES / "exec" / "count_species.py"}
        run = self.run_example("exec/pipeline.yaml", **given)
        report = json.loads(run.outputs("count")["report"])["outputs"]["report"]
        self.assertEqual(report["custom_properties"]["rows"], 333)
        with open(pathlib.Path(report["uri"]) / "species.csv", newline="") as file:
            self.assertEqual(dict(csv.reader(file)),
                             {"species": "rows", "Adelie": "146", "Chinstrap": "68", "Gentoo": "119"})
        again = self.run_example("exec/pipeline.yaml", **given)
        self.assertEqual([again.outputs(task)["cached"] for task in ("table", "complete", "count")], ["true"] * 3)


if __name__ == "__main__":
    workspace.main()

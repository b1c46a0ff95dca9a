"""The penguin pipeline in pods, with the project's own programs, manifests and templates, submitted by rekindle itself; and the
same file on this machine.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile

import steps
from case import REPO
from run_facts import Plain, RunFacts, digests_with_times, store_ids
from steps import PENGUINS, StepsCase

PIPELINE = REPO / "examples" / "penguin" / "pipeline.yaml"
TAXI = REPO / "examples" / "taxi" / "pipeline.yaml"
TASKS = ("examples", "statistics", "schema", "train", "evaluate", "push")
# What each of two runs is given.
RUNS = (["-p", "train-steps=200"], ["-p", "train-steps=250"])
TOLERANCE = 1e-6
TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"


def same(one, other):
    """Whether two values are equal, doubles nearly."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=0, abs_tol=TOLERANCE)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


class PipelineTest(StepsCase):

    namespace = "rekindle-pipeline"  # whose store knows of no other run
    _runs = None

    @classmethod
    def setUpClass(cls):
        cls.remove_namespace()
        super().setUpClass()

    def runs(self):
        """The pipeline, run twice."""
        if PipelineTest._runs is None:
            PipelineTest._runs = [self.run_to_its_end(PIPELINE, *given) for given in RUNS]
        return PipelineTest._runs

    def test_a_second_run_starts_from_the_blessed_model_of_the_first(self):
        first, second = self.runs()
        trained = self.outputs_of(first, "train")
        self.assertEqual(trained["state"], "COMPLETE")
        self.assertEqual(trained["warm-started-from"], "none")
        self.assertGreater(float(trained["accuracy"]), 0.9)
        self.assertEqual(self.outputs_of(first, "push")["pushed"], "true")

        again = self.outputs_of(second, "train")
        self.assertEqual(again["warm-started-from"], trained["model-id"])
        self.assertNotEqual(again["model-digest"], trained["model-digest"])
        # Nothing changed about the data: its steps are taken from the first run.
        self.assertEqual(self.outputs_of(second, "examples")["cached"], "true")

        for pod in self.pods_of(second["metadata"]["name"]):
            [main] = [c for c in pod["spec"]["containers"] if c["name"] == "main"]
            [token] = [m["name"] for m in main["volumeMounts"] if m["mountPath"] == TOKEN]
            self.assertEqual(token, "tmp", "the account's token is not for the step's own code")

        model = self.metadata("get", "artifact", again["model-id"])
        self.assertEqual(model["uri"], again["model-uri"])
        models = sorted((self.volume("rekindle-artifacts") / "serving" / "penguin").iterdir())
        self.assertEqual(len(models), 2, "a version for each run")

    def test_this_machine_records_and_puts_out_what_the_cluster_does(self):
        there = self.runs()
        with tempfile.TemporaryDirectory() as folder:
            here = self.run_here(pathlib.Path(folder))
            lines = {"here": self.rekindle_here(folder, "metadata", "export").splitlines()}
        lines["there"] = self.ask_metadata("export").splitlines()
        for number, (ours, theirs) in enumerate(zip(here, there), 1):
            plain = {"here": self.plain(ours, folder, lines["here"]), "there": self.plain(theirs, "/artifacts", lines["there"])}
            with self.subTest("records of run %d" % number):
                self.assert_same_facts(RunFacts(lines["here"], ours["metadata"]["uid"], plain["here"]),
                                       RunFacts(lines["there"], theirs["metadata"]["uid"], plain["there"]))
            with self.subTest("outputs of run %d" % number):
                self.assert_same_facts(self.outputs(ours, plain["here"]), self.outputs(theirs, plain["there"]))

    def run_here(self, folder):
        """The same file by `rekindle run`, twice, with the same data at the same place."""
        (folder / PENGUINS).parent.mkdir(parents=True)
        shutil.copy2(REPO / PENGUINS, folder / PENGUINS)
        return [json.loads(self.rekindle_here(folder, "run", PIPELINE, *given, "-o", "json")) for given in RUNS]

    def rekindle_here(self, folder, *words):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REKINDLE_")}
        done = subprocess.run([steps.BIN / "rekindle", *words], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @staticmethod
    def plain(workflow, root, lines):
        metadata = workflow["metadata"]
        return Plain({root: "<root>", metadata["name"]: "<workflow>", metadata["uid"]: "<run>", **digests_with_times(lines),
                      **store_ids(lines)})

    def outputs(self, workflow, plain):
        """The output parameters of all tasks, by task and name."""
        return {(task, name): plain.value(name.replace("-", "_"), value)
                for task in TASKS for name, value in self.outputs_of(workflow, task).items()}

    def assert_same_facts(self, here, there):
        self.assertEqual(sorted(here), sorted(there))
        different = ["%s: %r here, %r there" % (" ".join(key), here[key], there[key]) for key in here
                     if not same(here[key], there[key])]
        self.assertEqual(different, [])

    def test_what_the_readme_submits_first_needs_no_files(self):
        done = self.run_to_its_end(TAXI)
        self.assertEqual(self.outputs_of(done, "evaluate")["blessed"], "true")

"""The image that trains, without Python."""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import containers
import engine
import every_image
import steps_in_image

FIRST_STEP = re.compile(r"train \| step")
LONG = 200_000  # half a minute


class TrainerImageTest(every_image.EveryImage, steps_in_image.StepsInImage, containers.Containers):

    target = "trainer"
    most_megabytes = 700

    def test_has_nothing_of_python(self):
        self.assertEqual(self.find("python3*", "site-packages", "run_module.py"), [])

    def test_trains_for_anybody_on_a_read_only_root(self):
        self.prepare()
        trained = self.ok(self.step("train", label_key="species", train_steps=200))
        self.assertRegex(trained.stderr, r"devices found: \d+ CPU cores?; no GPU \(this TensorFlow is built without CUDA\)")
        model = json.loads(trained.stdout)["outputs"]["model"]
        self.assertGreater(model["custom_properties"]["accuracy"], 0.9)
        self.assert_all_is_the_callers()

    def test_docker_stop_cancels_and_the_next_run_goes_on(self):
        self.prepare()
        training = self.start("train", pipeline="penguin", pipeline_root="/data/pipelines", run_id="r1",
                              label_key="species", train_steps=LONG)
        self.wait_for("the first step", lambda: FIRST_STEP.search(self.logs(training)))
        self.assertEqual(self.end(training), 143, self.logs(training))
        states = [execution["last_known_state"] for execution in self.query("list", "executions")]
        self.assertEqual(sorted(states), ["CANCELED", "COMPLETE", "COMPLETE"])
        reached = max(int(path.name.split("-")[1].split(".")[0]) for path in self.dir.rglob("ckpt-*.index"))
        again = self.train(train_steps=LONG)
        self.assertEqual(again["execution_properties"]["resumed_from_step"], reached)
        self.assertEqual(again["attempt"], 2)

    def test_a_gpu_that_is_required_and_not_there(self):
        self.prepare()
        self.assert_refused(self.step("train", label_key="species", require_gpu="true"), 1, "a GPU is required", "NO_GPU")


class FirstStepTest(containers.Containers):
    """How soon training begins, beside the same command outside Docker. Machines are noisy: no number is held to."""

    target = "trainer"

    def test_the_first_step_comes_and_prints_how_soon_here_and_outside(self):
        self.prepare()
        inside = [_seconds_to_first_step([engine.CLIENT, *self.words(
            "train", docker=["--rm"], **_training("/data", "in%d" % i))], self.docker.environment) for i in range(3)]
        folder = self.prepare_outside()
        outside = [_seconds_to_first_step(_outside("train", **_training(folder, "out%d" % i)), os.environ)
                   for i in range(3)]
        print("\nto the first training step: %.2f s by docker run, %.2f s outside (medians of 3)" % (
            statistics.median(inside), statistics.median(outside)), file=sys.stderr)

    def prepare_outside(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="rekindle-outside-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for verb, flags in (("example-gen", {"input": self.dir / "penguins.csv", "null_value": "NA"}), ("schema-gen", {})):
            subprocess.run(_outside(verb, **_where(folder, "r1"), **flags), check=True, capture_output=True)
        return folder


def _outside(*arguments, **flags):
    return [str(containers.BIN / "rekindle"), *arguments,
            *("--%s=%s" % (name.replace("_", "-"), value) for name, value in flags.items())]


def _where(folder, run):
    return {"pipeline": "penguin", "db": "%s/rekindle.db" % folder, "pipeline_root": "%s/pipelines" % folder, "run_id": run}


def _training(folder, run):
    return {**_where(folder, run), "label_key": "species", "train_steps": 100, "base_model": "none", "no_cache": "true"}


def _seconds_to_first_step(words, environment):
    begin = time.monotonic()
    seconds = None
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment) as process:
        said = []
        for line in process.stderr:
            said.append(line)
            if seconds is None and FIRST_STEP.search(line):
                seconds = time.monotonic() - begin
    if seconds is None:
        raise AssertionError("no step came:\n" + "".join(said))
    return seconds

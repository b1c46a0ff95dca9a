"""The penguin pipeline in pods, with the project's own programs, manifests and templates."""

from case import REPO
from steps import StepsCase

PIPELINE = REPO / "examples" / "penguin" / "pipeline.yaml"


class PipelineTest(StepsCase):

    def test_a_second_run_starts_from_the_blessed_model_of_the_first(self):
        first = self.succeeded(self.submit(PIPELINE), seconds=600)
        trained = self.outputs_of(first, "train")
        self.assertEqual(trained["state"], "COMPLETE")
        self.assertEqual(trained["warm-started-from"], "none")
        self.assertGreater(float(trained["accuracy"]), 0.9)
        self.assertEqual(self.outputs_of(first, "push")["pushed"], "true")

        second = self.succeeded(self.submit(PIPELINE, "-p", "train-steps=250"), seconds=600)
        again = self.outputs_of(second, "train")
        self.assertEqual(again["warm-started-from"], trained["model-id"])
        self.assertNotEqual(again["model-digest"], trained["model-digest"])
        # Nothing changed about the data: its steps are taken from the first run.
        self.assertEqual(self.outputs_of(second, "examples")["cached"], "true")

        model = self.metadata("get", "artifact", again["model-id"])
        self.assertEqual(model["uri"], again["model-uri"])
        models = sorted((self.volume("rekindle-artifacts") / "serving" / "penguin").iterdir())
        self.assertEqual(len(models), 2, "a version for each run")

"""rekindle train --transform-graph: learns transformed examples, serves raw ones, cold, cached and warm."""

import json
import shutil
import subprocess

import workspace

FIXTURE = workspace.REPO / "tests" / "golden" / "penguin_transform"
FAILED = 1


class TransformTest(workspace.Workspace):

    def bring(self, node, kind, folder):
        """Imports a folder; the reference to its artifact."""
        report = self.report("import", run_id="data", node=node, type=kind, uri=folder)
        return "id:%d" % report["outputs"]["result"]["id"]

    def train_transformed(self, run, **flags):
        return self.report("train", **{"run_id": run, "examples": self.examples, "transform_graph": self.graph, "schema": "none",
                                       "label_key": "species", "train_steps": 100, **flags})

    def predict(self, model, kind, signature):
        """What a published model answers, line by line."""
        done = subprocess.run(
            [str(workspace.BIN / "rekindle-trainer"), "--mode=predict", "--saved_model=%s/Format-Serving" % model["uri"],
             "--examples=%s/Split-eval/*" % (FIXTURE / kind), "--signature=%s" % signature],
            capture_output=True, text=True, check=True, timeout=120)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def assert_serves_raw_examples(self, model):
        raw = self.predict(model, "raw", "serving_default")
        transformed = self.predict(model, "transformed", "serving_transformed")
        self.assertEqual(len(raw), 114)
        for ours, expected in zip(raw, transformed):
            for score, other in zip(ours["scores"], expected["scores"]):
                self.assertAlmostEqual(score, other, delta=1e-5)

    def test_cold_cached_and_warm(self):
        self.examples = self.bring("Transformed", "Examples", FIXTURE / "transformed")
        self.graph = self.bring("Graph", "TransformGraph", FIXTURE / "graph")
        raw_schema = self.bring("RawSchema", "Schema", FIXTURE / "graph" / "metadata")
        cold = self.train_transformed("r1", base_model="none", schema=raw_schema)
        model = cold["outputs"]["model"]
        self.assertGreater(model["custom_properties"]["accuracy"], 0.9)
        self.assert_serves_raw_examples(model)
        again = self.train_transformed("r2", base_model="none", schema=raw_schema)
        self.assertEqual((again["state"], again["outputs"]["model"]["id"]), ("CACHED", model["id"]))

        # Its own schema is enough.
        warm = self.train_transformed("r3", base_model="latest")
        properties = warm["outputs"]["model"]["custom_properties"]
        self.assertAlmostEqual(properties["first_eval_loss"], model["custom_properties"]["loss"], delta=1e-5)
        self.assert_serves_raw_examples(warm["outputs"]["model"])

        # The same transformation of another vocabulary is another input.
        changed = self.dir / "changed"
        shutil.copytree(FIXTURE / "graph", changed)
        (changed / "transform_fn" / "assets" / "seen").write_text("Biscoe\nDream\n")
        self.graph = self.bring("Changed", "TransformGraph", changed)
        self.assertEqual(self.train_transformed("r4", base_model="none")["state"], "COMPLETE")

        empty = self.dir / "empty"
        (empty / "transform_fn").mkdir(parents=True)
        (empty / "transform_fn" / "nothing").write_text("")
        self.graph = self.bring("Empty", "TransformGraph", empty)
        result = self.step("train", run_id="r5", examples=self.examples, transform_graph=self.graph, schema="none",
                           label_key="species", base_model="none")
        self.assert_refused(result, FAILED, "is not what a Transform component writes: it has no 'transform_fn/saved_model.pb'")


if __name__ == "__main__":
    workspace.main()

"""What a cluster does to steps: pods that vanish, too little memory, a metadata server that dies. Nothing is lost."""

import json
import secrets
import tempfile

from case import REKINDLE
from steps import PENGUINS, StepsCase

# Half a minute or more on a fast machine: time enough to do something to it.
LONG = {"train_steps": 60000, "custom_config": '{"checkpoint_interval": 500}'}


def workflow(pipeline, trainer):
    """Examples, a schema and a training step with these parameters."""
    def task(name, template, depends, **parameters):
        parameters = {"pipeline": pipeline, **parameters}
        return {"name": name, "templateRef": {"name": "rekindle", "template": template}, "depends": depends,
                "arguments": {"parameters": [{"name": k.replace("_", "-"), "value": str(v)} for k, v in parameters.items()]}}

    tasks = [task("examples", "example-gen", "", input=PENGUINS, null_values="NA"),
             task("schema", "schema-gen", "examples", examples="run:CsvExampleGen.examples"),
             task("train", "trainer", "schema", label_key="species", base_model="none", no_cache="true",
                  examples="run:CsvExampleGen.examples", schema="run:SchemaGen.schema", **trainer)]
    for one in tasks:
        if not one["depends"]:
            del one["depends"]
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"generateName": "losses-"},
            "spec": {"entrypoint": "pipeline", "templates": [{"name": "pipeline", "dag": {"tasks": tasks}}],
                     "hooks": {"exit": {"templateRef": {"name": "rekindle", "template": "reaper"}}}}}


class LossesTest(StepsCase):

    def setUp(self):
        self.pipeline = "losses-" + secrets.token_hex(4)

    def submit_training(self, **trainer):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(workflow(self.pipeline, trainer), file)
            file.flush()
            return self.submit(file.name)

    def training_pod(self, name):
        """The pod that is training, once a checkpoint is written."""
        root = self.volume("rekindle-artifacts") / "pipelines" / self.pipeline
        self.until("a checkpoint", 240, lambda: list(root.rglob("*.index")))
        pods = [p["metadata"]["name"] for p in self.pods_of(name)
                if "trainer" in p["metadata"]["name"] and p["status"]["phase"] == "Running"]
        self.assertEqual(len(pods), 1, pods)
        return pods[0]

    def test_a_deleted_pod_is_replaced_and_resumes_from_its_checkpoint(self):
        name = self.submit_training(**LONG)
        self.kubectl("delete", "pod", "-n", REKINDLE, self.training_pod(name), "--wait=false")
        done = self.succeeded(name, seconds=600)
        report = json.loads(self.outputs_of(done, "train")["report"])
        self.assertEqual(report["attempt"], 2)
        self.assertGreaterEqual(report["execution_properties"]["resumed_from_step"], 500)

    def test_a_trainer_without_memory_is_recorded_as_such(self):
        name = self.submit_training(train_steps=10, memory="192Mi", retries=1, custom_config='{"hidden_units": [8192, 8192]}')
        failed = self.wait_for(name, seconds=600)
        self.assertEqual(failed["status"]["phase"], "Failed", self.account_of(failed))
        (training,) = self.executions(failed)
        self.assertEqual(training["last_known_state"], "FAILED")
        self.assertIn("OUT_OF_MEMORY", json.dumps(training))

    def test_a_metadata_server_that_is_killed_loses_nothing(self):
        name = self.submit_training(**LONG)
        self.training_pod(name)
        before = self.metadata("list", "executions")
        self.kubectl("delete", "pod", "-n", REKINDLE, "-l", "app.kubernetes.io/component=metadata", "--force", "--grace-period=0")
        done = self.succeeded(name, seconds=600)
        report = json.loads(self.outputs_of(done, "train")["report"])
        self.assertEqual((report["state"], report["attempt"]), ("COMPLETE", 1))
        after = {e["id"] for e in self.metadata("list", "executions")}
        self.assertLessEqual({e["id"] for e in before}, after)


# Of a step on a GPU, for a node that has two cores and only says it has a GPU.
SMALL = {"pipeline": "gpu", "retries": "0", "cpu": "100m", "memory": "1Gi"}


class PlacementTest(StepsCase):

    def test_gpu_steps_wait_for_a_gpu(self):
        spec = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"generateName": "gpu-"},
                "spec": {"entrypoint": "train", "templates": [{"name": "train", "steps": [[{
                    "name": "train", "templateRef": {"name": "rekindle", "template": "trainer-gpu"},
                    "arguments": {"parameters": [{"name": k, "value": v} for k, v in SMALL.items()]}}]]}]}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(spec, file)
            file.flush()
            name = self.submit(file.name)
        self.addCleanup(self.kubectl, "delete", "workflow", "-n", REKINDLE, name, "--wait=false", check=False)
        self.kubectl("label", "node", "node1", "nvidia.com/gpu.present=true", "--overwrite")
        self.until("a pod that waits for a GPU", 60, lambda: self.waits_for_gpu(name))
        self.advertise_gpu()
        (pod,) = self.until("a pod on the node", 60, lambda: [p for p in self.pods_of(name) if p["spec"].get("nodeName")])
        self.assertEqual(pod["spec"]["containers"][-1]["resources"]["limits"]["nvidia.com/gpu"], "1")
        # It runs now, and fails for want of examples.
        self.assertEqual(self.wait_for(name)["status"]["phase"], "Failed")

    def waits_for_gpu(self, name):
        conditions = [c for pod in self.pods_of(name) for c in pod["status"].get("conditions", [])]
        return any("Insufficient nvidia.com/gpu" in c.get("message", "") for c in conditions)

    def advertise_gpu(self):
        self.change_gpu({"op": "add", "value": "1"})
        self.addCleanup(self.change_gpu, {"op": "remove"})

    def change_gpu(self, operation):
        patch = [{**operation, "path": "/status/%s/nvidia.com~1gpu" % part} for part in ("capacity", "allocatable")]
        self.kubectl("patch", "node", "node1", "--subresource=status", "--type=json", "-p", json.dumps(patch))

    def test_the_steps_account_may_report_and_nothing_else(self):
        account = "system:serviceaccount:%s:rekindle" % REKINDLE
        for verb, what, allowed in (
                ("create", "workflowtaskresults.argoproj.io", "yes"), ("patch", "workflowtaskresults.argoproj.io", "yes"),
                ("get", "secrets", "no"), ("list", "pods", "no"), ("create", "pods", "no"), ("delete", "workflows.argoproj.io", "no")):
            with self.subTest("%s %s" % (verb, what)):
                answer = self.kubectl("auth", "can-i", verb, what, "-n", REKINDLE, "--as", account, check=False)
                self.assertEqual(answer.stdout.strip(), allowed)

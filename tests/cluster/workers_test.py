"""One training in several pods, which find each other by the names that a headless Service gives them."""

import json
import secrets
import subprocess

from case import ENDED, REPO
from steps import CPU, StepsCase, data_tasks, training, workflow

PODS = REPO / "examples" / "multi_worker" / "pods.yaml"
# With TensorFlow, as ./test sets it up.
PYTHON = REPO / "build" / "python" / "bin" / "python"
TOLERANCE = 1e-5

# Prints by how much two folders of checkpoints differ, in the variable that differs most.
DIFFERENCE = """
import sys, numpy, tensorflow
readers = [tensorflow.train.load_checkpoint(folder) for folder in sys.argv[1:]]
names = [sorted(reader.get_variable_to_shape_map()) for reader in readers]
assert names[0] == names[1] and len(names[0]) > 4, names
print(max(float(numpy.abs(readers[0].get_tensor(n) - readers[1].get_tensor(n)).max()) for n in names[0]
          if readers[0].get_tensor(n).dtype.kind in "fiu"))
"""


class WorkersTest(StepsCase):

    namespace = "rekindle-workers"  # beside the other tests of steps

    def test_two_pods_train_one_model_with_the_weights_of_one(self):
        example = json.loads(self.kubectl("create", "--dry-run=client", "-n", self.namespace, "-o", "json", "-f", PODS).stdout)
        tasks = example["spec"]["templates"][0]["dag"]["tasks"]
        for one in tasks:
            one["arguments"]["parameters"].append({"name": "cpu", "value": CPU})
        # Beside the last of them, which trains for 100 steps: both start cold.
        tasks[-1]["arguments"]["parameters"].append({"name": "base-model", "value": "none"})
        tasks.append(training("penguin-workers", "alone", node_id="Alone", train_steps=100))
        done = self.succeeded(self.submit_object(example), seconds=600)
        workers = [n for n in done["status"]["nodes"].values() if n["type"] == "Pod" and n["displayName"].startswith("worker")]
        self.assertEqual([n["phase"] for n in workers], ["Succeeded"])
        trained = self.outputs_of(done, "train")
        self.assertEqual(self.metadata("get", "artifact", trained["model-id"])["uri"], trained["model-uri"])
        self.assertEqual(self.execution(done)["last_known_state"], "COMPLETE")
        self.assertLessEqual(self.difference(self.run_folder(done, "train"), self.run_folder(done, "alone")), TOLERANCE)

    def run_folder(self, workflow, task):
        """Where a training's checkpoints are on this machine."""
        report = json.loads(self.outputs_of(workflow, task)["report"])
        return self.volume("rekindle-artifacts") / report["outputs"]["model_run"]["uri"].removeprefix("/artifacts/")

    def difference(self, *folders):
        answer = subprocess.run([PYTHON, "-c", DIFFERENCE, *folders], capture_output=True, text=True, check=False)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return float(answer.stdout)

    def test_when_a_worker_is_lost_the_job_is_retried_as_a_whole(self):
        pipeline = "workers-" + secrets.token_hex(4)
        name = self.submit_object(workflow("workers", [*data_tasks(pipeline), training(
            pipeline, template="trainer-workers", workers=2, train_steps=8000, custom_config='{"checkpoint_interval": 200}')]))
        root = self.volume("rekindle-artifacts") / "pipelines" / pipeline
        self.until("a checkpoint", 240, lambda: list(root.rglob("*.index")))
        (worker,) = [p["metadata"]["name"] for p in self.pods_of(name) if "-worker-" in p["spec"].get("hostname", "")]
        self.kubectl("delete", "pod", "-n", self.namespace, worker, "--force", "--grace-period=0")
        done = self.succeeded(name, seconds=600)
        report = json.loads(self.outputs_of(done, "train")["report"])
        self.assertGreaterEqual(report["attempt"], 2)
        self.assertGreaterEqual(report["execution_properties"]["resumed_from_step"], 200)

    def test_parameter_servers_are_refused_by_name_without_a_module(self):
        pipeline = "servers-" + secrets.token_hex(4)
        name = self.submit_object(workflow("servers", [*data_tasks(pipeline), training(
            pipeline, template="trainer-workers", workers=1, ps=1, retries=0)]))
        chief = self.until("the chief's end", 300, lambda: self.ended_node(name, "chief(0)"))
        self.assertEqual(chief["phase"], "Failed")
        self.assertIn('"ps"', chief["message"])
        # The server would wait a minute for a chief that may come back.
        self.kubectl("delete", "workflow", "-n", self.namespace, name)

    def ended_node(self, name, display_name):
        node = self.node_of(self.workflow(name), display_name)
        return node if node and node["phase"] in ENDED else None

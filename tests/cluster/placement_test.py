"""Which nodes steps run on, and when: GPUs. The node has none, and says that it has."""

import json

from steps import StepsCase, data_tasks, training, workflow

PIPELINE = "gpu"
SMALL = {"retries": "2", "memory": "1Gi"}
NO_GPU_FREE = "Insufficient nvidia.com/gpu"
NOT_TOLERATED = "untolerated taint"
NOT_SELECTED = "didn't match Pod's node affinity/selector"


class PlacementTest(StepsCase):

    def setUp(self):
        self.succeeded(self.submit_object(workflow("gpu", data_tasks(PIPELINE))))
        self.kubectl("label", "node", "node1", "gpu-model=t4", "--overwrite")
        self.kubectl("taint", "node", "node1", "nvidia.com/gpu=present:NoSchedule", "--overwrite")
        self.addCleanup(self.kubectl, "taint", "node", "node1", "nvidia.com/gpu-")
        self.addCleanup(self.kubectl, "label", "node", "node1", "gpu-model-")
        self.addCleanup(self.kubectl, "delete", "workflows", "--all", "-n", self.namespace, "--timeout=60s", check=False)

    def submit_step(self, template, **parameters):
        """A training step, with no exit handler: that would wait for another node."""
        step = training(PIPELINE, template=template, examples="latest", schema="latest", **SMALL, **parameters)
        step["dependencies"] = []
        submitted = workflow("gpu", [step])
        del submitted["spec"]["hooks"]
        return self.submit_object(submitted)

    def test_gpu_steps_wait_for_a_gpu_and_their_turn_and_others_keep_off_the_node(self):
        first = self.submit_step("trainer-gpu")
        self.until("a pod that waits for a GPU", 60, lambda: self.waits(first, NO_GPU_FREE))
        second = self.submit_step("trainer-gpu", node_selector='{"gpu-model": "t4"}')
        self.until("a step that waits for its turn", 60, lambda: "rekindle-gpu" in json.dumps(self.workflow(second)["status"]))
        on_cpu = self.submit_step("trainer")
        self.until("a pod that waits for another node", 60, lambda: self.waits(on_cpu, NOT_TOLERATED))
        self.assertEqual(self.pods_of(second), [])

        self.advertise_gpus("2")
        for name in (first, second):
            # It runs now, on the node, and finds that the node has lied.
            done = self.wait_for(name)
            self.assertEqual(self.execution(done)["custom_properties"]["failure_reason"], "NO_GPU")
            (pod,) = self.pods_of(name)  # and is not tried again
            self.assertEqual(pod["spec"]["nodeName"], "node1")
            self.assertEqual(pod["spec"]["containers"][-1]["resources"]["limits"]["nvidia.com/gpu"], "1")
        self.assertTrue(self.waits(on_cpu, NOT_TOLERATED))
        other = self.submit_step("trainer-gpu", node_selector='{"gpu-model": "h100"}')
        self.until("a pod that waits for a node with that label", 60, lambda: self.waits(other, NOT_SELECTED))

    def waits(self, name, why):
        conditions = [c for pod in self.pods_of(name) if not pod["spec"].get("nodeName")
                      for c in pod["status"].get("conditions", [])]
        return any(why in c.get("message", "") for c in conditions)

    def advertise_gpus(self, count):
        self.change_gpus({"op": "add", "value": count})
        self.addCleanup(self.change_gpus, {"op": "remove"})

    def change_gpus(self, operation):
        patch = [{**operation, "path": "/status/%s/nvidia.com~1gpu" % part} for part in ("capacity", "allocatable")]
        self.kubectl("patch", "node", "node1", "--subresource=status", "--type=json", "-p", json.dumps(patch))

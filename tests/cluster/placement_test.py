"""Which nodes steps run on, and when: GPUs. The node has none, and says that it has."""

import json

from steps import StepsCase, data_tasks, training, workflow

PIPELINE = "gpu"
SMALL = {"retries": "2", "memory": "1Gi"}
NO_GPU_FREE = "Insufficient nvidia.com/gpu"
NOT_TOLERATED = "untolerated taint"


class PlacementTest(StepsCase):

    def setUp(self):
        self.succeeded(self.submit_object(workflow("gpu", data_tasks(PIPELINE))))
        self.kubectl("label", "node", "node1", "nvidia.com/gpu.present=true", "--overwrite")
        self.kubectl("taint", "node", "node1", "nvidia.com/gpu=present:NoSchedule", "--overwrite")
        self.addCleanup(self.kubectl, "taint", "node", "node1", "nvidia.com/gpu-")
        self.addCleanup(self.kubectl, "delete", "workflows", "--all", "-n", self.namespace, "--timeout=60s", check=False)

    def submit_step(self, template, library="rekindle"):
        """A training step, with no exit handler: that would wait for another node."""
        step = training(PIPELINE, template=template, examples="latest", schema="latest", **SMALL)
        step["templateRef"]["name"] = library
        step["dependencies"] = []
        submitted = workflow("gpu", [step])
        del submitted["spec"]["hooks"]
        return self.submit_object(submitted)

    def test_gpu_steps_wait_for_a_gpu_and_their_turn_and_others_keep_off_the_node(self):
        first = self.submit_step("trainer-gpu")
        self.until("a pod that waits for a GPU", 60, lambda: self.waits(first, NO_GPU_FREE))
        second = self.submit_step("trainer-gpu")
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

    def test_a_gpu_step_gives_up_when_its_turn_does_not_come_and_is_not_tried_again(self):
        first = self.submit_step("trainer-gpu")
        self.until("a pod that waits for a GPU", 60, lambda: self.waits(first, NO_GPU_FREE))
        done = self.wait_for(self.submit_step("trainer-gpu", library=self.impatient_library()))
        step = self.node_of(done, "train")
        self.assertEqual(step["phase"], "Failed", self.account_of(done))
        self.assertIn("timeout", step["message"])
        self.assertEqual(len(done["status"]["nodes"]), 2)  # the workflow, and the one attempt

    def impatient_library(self):
        """The templates, with less time for GPUs; their name."""
        library = self.cluster.get("-n", self.namespace, "workflowtemplate", "rekindle")
        (template,) = [t for t in library["spec"]["templates"] if t["name"] == "trainer-gpu"]
        self.assertEqual(template["pendingTimeout"], "12h")
        template["pendingTimeout"] = "5s"
        self.cluster.apply({**library, "metadata": {"name": "impatient"}}, namespace=self.namespace)
        self.addCleanup(self.kubectl, "delete", "workflowtemplate", "impatient", "-n", self.namespace)
        return "impatient"

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

"""One training in several pods, which find each other by the names that a headless Service gives them."""

import json
import tempfile

from case import REKINDLE, REPO
from steps import StepsCase

PODS = REPO / "examples" / "multi_worker" / "pods.yaml"


class WorkersTest(StepsCase):

    def test_two_pods_train_one_model(self):
        done = self.succeeded(self.submit_small(PODS), seconds=600)
        workers = [n for n in done["status"]["nodes"].values() if n["type"] == "Pod" and n.get("templateName") == "trainer"]
        self.assertEqual(sorted(n["phase"] for n in workers), ["Succeeded", "Succeeded"])
        trained = self.outputs_of(done, "train")
        self.assertEqual(self.metadata("get", "artifact", trained["model-id"])["uri"], trained["model-uri"])
        (recorded,) = self.executions(done)
        self.assertEqual(recorded["last_known_state"], "COMPLETE")

    def submit_small(self, path):
        """As it is, but for pods that ask for a fraction of a core: the node may have two."""
        text = self.kubectl("create", "--dry-run=client", "-n", REKINDLE, "-o", "json", "-f", path).stdout
        workflow = json.loads(text)
        for task in workflow["spec"]["templates"][0]["dag"]["tasks"]:
            task["arguments"]["parameters"].append({"name": "cpu", "value": "100m"})
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(workflow, file)
            file.flush()
            return self.submit(file.name)

"""Rekindle installed on the cluster by its own manifests, and what its store says."""

import json
import shutil

from case import REKINDLE, REPO, ClusterCase

QUICK_START = REPO / "manifests" / "overlays" / "quick-start"
PENGUINS = "examples/penguin/penguins.csv"
BIN = None  # set by tests/cluster/run


class StepsCase(ClusterCase):
    """Tests with steps in pods: the metadata server is ready, and the example's data is on the artifacts' volume."""

    @classmethod
    def setUpClass(cls):
        cls.cluster.kubectl("apply", "-k", QUICK_START)
        for claim in ("rekindle-artifacts", "rekindle-metadata"):
            cls.cluster.kubectl("wait", "-n", REKINDLE, "--for=jsonpath={.status.phase}=Bound", "pvc/" + claim, "--timeout=60s")
            # The provisioner of this cluster ignores fsGroup.
            cls.volume(claim).chmod(0o777)
        cls.cluster.kubectl("rollout", "status", "-n", REKINDLE, "deployment/rekindle-metadata", "--timeout=180s")
        target = cls.volume("rekindle-artifacts") / PENGUINS
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPO / PENGUINS, target)

    @classmethod
    def volume(cls, claim):
        """The folder on this machine that a claim is bound to."""
        name = cls.cluster.get("-n", REKINDLE, "pvc", claim)["spec"]["volumeName"]
        path = cls.cluster.get("pv", name)["spec"]["hostPath"]["path"]
        return cls.cluster.node.folder_of("/tmp/hostpath_pv") / path.rsplit("/", 1)[1]

    def metadata(self, *arguments):
        """What the metadata server answers by its service's address."""
        address = self.cluster.get("-n", REKINDLE, "service", "rekindle-metadata")["spec"]["clusterIP"]
        answer = self.cluster.inside(BIN / "rekindle", "metadata", *arguments, "--metadata=grpc://%s:8080" % address, "-o", "json")
        return json.loads(answer.stdout)

    def executions(self, workflow, node="Trainer"):
        """The store's executions of one step of a workflow."""
        found = self.metadata("list", "executions", "--run=" + workflow["metadata"]["uid"])
        return [e for e in found if node in json.dumps(e)]

    def pods_of(self, workflow_name):
        return self.cluster.get("-n", REKINDLE, "pods", "-l", "workflows.argoproj.io/workflow=" + workflow_name)["items"]

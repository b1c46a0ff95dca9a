"""What the tests of the cluster share: the cluster itself, which tests/cluster/run starts, and a few verbs."""

import json
import pathlib
import secrets
import tempfile
import time
import unittest

import one_node
from node import Problem

REPO = pathlib.Path(__file__).resolve().parents[2]
REKINDLE = "rekindle"  # the namespace of manifests/
ENDED = ("Succeeded", "Failed", "Error")


class ClusterCase(unittest.TestCase):
    """A test on the cluster that is up."""

    cluster = one_node.Cluster()
    namespace = REKINDLE
    maxDiff = None

    def kubectl(self, *arguments, **options):
        return self.cluster.kubectl(*arguments, **options)

    def until(self, what, seconds, condition):
        """Waits for condition() to be true; what it is then."""
        deadline = time.monotonic() + seconds
        reason = ""
        while time.monotonic() < deadline:
            try:
                value = condition()
                if value:
                    return value
            except Problem as problem:
                reason = ": %s" % problem
            time.sleep(1)
        self.fail("waited %d seconds in vain for %s%s" % (seconds, what, reason))

    def scratch_namespace(self):
        """A namespace that goes with the test; its name."""
        name = "scratch-" + secrets.token_hex(4)
        self.kubectl("create", "namespace", name)
        self.addCleanup(self.kubectl, "delete", "namespace", name, "--wait=false", check=False)
        self.until("the service account", 60, lambda: self.kubectl("get", "-n", name, "serviceaccount", "default"))
        return name

    @classmethod
    def remove_namespace(cls):
        """The tests' own, with all that is in it, if it is there."""
        # Argo's controller lets go of pods while their Workflow is there.
        cls.cluster.kubectl("delete", "workflows", "--all", "-n", cls.namespace, "--timeout=120s", check=False)
        # What is deleted with a namespace is looked after only now and then.
        cls.cluster.kubectl("delete", "deployments", "--all", "-n", cls.namespace, "--cascade=foreground", "--timeout=120s",
                            check=False)
        cls.cluster.kubectl("delete", "namespace", cls.namespace, "--ignore-not-found", "--timeout=300s")

    # Workflows.

    def submit(self, path, *arguments):
        """Submits a Workflow; its name."""
        created = json.loads(self.cluster.argo("submit", path, "-n", self.namespace, "-o", "json", *arguments).stdout)
        return created["metadata"]["name"]

    def submit_object(self, workflow):
        """Submits a Workflow that is no file; its name."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(workflow, file)
            file.flush()
            return self.submit(file.name)

    def workflow(self, name):
        return self.cluster.request("GET", "/apis/argoproj.io/v1alpha1/namespaces/%s/workflows/%s" % (self.namespace, name))

    def wait_for(self, name, seconds=300):
        """Waits for the end of a Workflow; the object."""
        def ended():
            workflow = self.workflow(name)
            return workflow if workflow.get("status", {}).get("phase") in ENDED else None

        return self.until("the end of %s" % name, seconds, ended)

    def succeeded(self, name, **options):
        workflow = self.wait_for(name, **options)
        self.assertEqual(workflow["status"]["phase"], "Succeeded", self.account_of(workflow))
        return workflow

    def account_of(self, workflow):
        """What to read when a Workflow did not end as it should."""
        lines = ["%s: %s" % (workflow["metadata"]["name"], workflow["status"].get("message", ""))]
        for node in workflow["status"].get("nodes", {}).values():
            lines.append("%s %s %s" % (node["name"], node["phase"], node.get("message", "")))
        logs = self.cluster.argo("logs", "-n", workflow["metadata"]["namespace"], workflow["metadata"]["name"], check=False)
        return "\n".join(lines) + "\n" + logs.stdout[-4000:]

    @staticmethod
    def node_of(workflow, display_name):
        """The one node that has this display name, or None."""
        found = [n for n in workflow["status"].get("nodes", {}).values() if n["displayName"] == display_name]
        assert len(found) <= 1, found
        return found[0] if found else None

    def outputs_of(self, workflow, display_name):
        node = self.node_of(workflow, display_name)
        return {p["name"]: p.get("value") for p in node.get("outputs", {}).get("parameters", [])}

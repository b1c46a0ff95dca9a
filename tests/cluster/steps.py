"""Rekindle installed on the cluster by its own manifests, and what its store says."""

import json
import pathlib
import shutil
import tempfile

from case import REKINDLE, REPO, ClusterCase

QUICK_START = REPO / "manifests" / "overlays" / "quick-start"
PENGUINS = "examples/penguin/penguins.csv"
CPU = "100m"  # that a pod asks for: several find room on a node with two cores
BIN = None  # set by tests/cluster/run


def rendered(cluster, overlay, namespace):
    """An overlay as YAML, in another namespace than its own if that is asked for."""
    own = cluster.kubectl("kustomize", overlay).stdout
    if namespace == REKINDLE:
        return own
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "overlay.yaml").write_text(own)
        (pathlib.Path(folder) / "kustomization.yaml").write_text("namespace: %s\nresources: [overlay.yaml]\n" % namespace)
        return cluster.kubectl("kustomize", folder).stdout


def task(name, template, pipeline, dependencies=(), **parameters):
    """A task by one of Rekindle's templates."""
    given = {"pipeline": pipeline, "cpu": CPU, **parameters}
    return {"name": name, "templateRef": {"name": "rekindle", "template": template}, "dependencies": list(dependencies),
            "arguments": {"parameters": [{"name": k.replace("_", "-"), "value": str(v)} for k, v in given.items()]}}


def data_tasks(pipeline):
    """Examples and a schema of the penguins."""
    return [task("examples", "example-gen", pipeline, input=PENGUINS, null_values="NA"),
            task("schema", "schema-gen", pipeline, ["examples"], examples="run:CsvExampleGen.examples")]


def training(pipeline, name="train", template="trainer", **parameters):
    """A training on what those put out; a cold one, whatever there was before."""
    return task(name, template, pipeline, ["schema"], **{
        "label_key": "species", "base_model": "none", "no_cache": "true", "examples": "run:CsvExampleGen.examples",
        "schema": "run:SchemaGen.schema", **parameters})


def workflow(prefix, tasks):
    """A Workflow of these tasks, with the reaper as its exit handler."""
    reaper = {"templateRef": {"name": "rekindle", "template": "reaper"},
              "arguments": {"parameters": [{"name": "previous-failure", "value": "{{workflow.failures}}"}]}}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"generateName": prefix + "-"},
            "spec": {"entrypoint": "pipeline", "hooks": {"exit": reaper},
                     "templates": [{"name": "pipeline", "dag": {"tasks": tasks}}]}}


class StepsCase(ClusterCase):
    """Tests with steps in pods: the metadata server is ready, and the example's data is on the artifacts' volume."""

    overlay = QUICK_START

    @classmethod
    def setUpClass(cls):
        cls.cluster.kubectl("apply", "-f", "-", input=rendered(cls.cluster, cls.overlay, cls.namespace))
        cls.make_secrets()
        cls.cluster.kubectl("wait", "-n", cls.namespace, "--for=jsonpath={.status.phase}=Bound", "pvc/rekindle-artifacts", "--timeout=60s")
        cls.cluster.kubectl("rollout", "status", "-n", cls.namespace, "deployment/rekindle-metadata", "--timeout=180s")
        target = cls.volume("rekindle-artifacts") / PENGUINS
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPO / PENGUINS, target)

    @classmethod
    def make_secrets(cls):
        """What the overlay needs beside itself."""

    @classmethod
    def volume(cls, claim):
        """The folder on this machine that a claim is bound to."""
        name = cls.cluster.get("-n", cls.namespace, "pvc", claim)["spec"]["volumeName"]
        path = cls.cluster.get("pv", name)["spec"]["hostPath"]["path"]
        return cls.cluster.node.folder_of("/tmp/hostpath_pv") / path.rsplit("/", 1)[1]

    def ask_metadata(self, *arguments):
        """What the metadata server answers by its service's address, as text."""
        address = self.cluster.get("-n", self.namespace, "service", "rekindle-metadata")["spec"]["clusterIP"]
        return self.cluster.inside(BIN / "rekindle", "metadata", *arguments, "--metadata=grpc://%s:8080" % address).stdout

    def metadata(self, *arguments):
        return json.loads(self.ask_metadata(*arguments, "-o", "json"))

    def run_to_its_end(self, path, *arguments):
        """Submits a Workflow by rekindle, and waits; the object. It must succeed."""
        done = self.cluster.inside(
            BIN / "rekindle", "submit", path, *arguments, "-n", self.namespace, "--wait", "-o", "name", check=False, timeout=900)
        self.assertNotEqual(done.stdout, "", done.stderr)
        return self.succeeded(done.stdout.split()[0])

    def execution(self, workflow, node="Trainer"):
        """The store's one execution of a step of a workflow."""
        found = self.metadata("list", "executions", "--run=" + workflow["metadata"]["uid"])
        (one,) = [e for e in found if e["external_id"].endswith("/" + node)]
        return one

    def log_of(self, pod, container="main"):
        return self.kubectl("logs", "-n", self.namespace, pod, "-c", container).stdout

    def pods_of(self, workflow_name):
        return self.cluster.get("-n", self.namespace, "pods", "-l", "workflows.argoproj.io/workflow=" + workflow_name)["items"]

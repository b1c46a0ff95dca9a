"""Argo's own examples: which of them run without the outside world, and what stands in for the images they name.

tests/cluster/record_examples runs them on a real cluster and writes what Argo's controller made of them to
tests/golden/argo_examples.json; tests that run the same files elsewhere compare with that.

The rule for images is the same everywhere: a container has busybox's tools, bash and python3, the scripts of tests/support/bin and
Argo's own argosay on its PATH, whatever image it names.
"""

import hashlib
import json
import pathlib
import re
import subprocess

REPO = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = REPO / "tests" / "golden" / "argo_examples.json"
STAND_INS = REPO / "tests" / "support" / "bin"

# Images whose own entry point an example relies on, and images it only names.
ENTRYPOINTS = {"argoproj/argosay:v2": ["argosay"], "argoproj/argosay:v1": ["argosay"]}
IMAGES = ("busybox:latest", "alpine:3.23", "alpine:latest", "debian:latest", "ubuntu:latest", "python:alpine3.23",
          "argoproj/argosay:v1", "argoproj/argosay:v2")

# Examples that are not run, by the reason why.
NOT_RUN = {
    "needs an artifact repository": (
        "archive-location artifact-disable-archive artifact-gc-workflow artifact-passing artifact-passing-explicit-plugin "
        "artifact-passing-subpath artifact-path-placeholders artifact-repository-ref artifactory-artifact ci ci-output-artifact "
        "conditional-artifacts dag-conditional-artifacts data-transformations exit-handler-with-artifacts fun-with-gifs "
        "global-outputs handle-large-output-results hdfs-artifact input-artifact-azure input-artifact-gcs input-artifact-git "
        "input-artifact-oss input-artifact-s3 key-only-artifact map-reduce nested-workflow output-artifact-azure output-artifact-gcs "
        "output-artifact-s3 variables-showcase webhdfs-input-output-artifacts work-avoidance "
        "container-set-template/workspace-workflow workflow-template/workflow-archive-logs"),
    "needs the outside network": (
        "arguments-artifacts exit-handler-slack http-hello-world http-success-condition influxdb-ci input-artifact-http "
        "life-cycle-hooks-tmpl-level life-cycle-hooks-wf-level"),
    "needs another program": (
        "daemon-nginx daemon-step dag-daemon-retry-strategy dag-daemon-task daemoned-stateful-set-with-service hello-hybrid "
        "hello-windows scripts-javascript sidecar sidecar-dind sidecar-nginx steps-daemon-retry-strategy "
        "workflow-level-executor-plugin"),
    "needs a database": (
        "synchronization-db-mutex-tmpl-level synchronization-db-mutex-wf-level synchronization-db-tmpl-level "
        "synchronization-db-wf-level"),
    "needs devices": "resource-claims resource-claims-template-override",
    "waits for a person": "intermediate-parameters suspend-template suspend-template-outputs",
    "has no end": "forever",
    "shows which image it has": "loops-maps loops-param-argument",
    "starts other Workflows on a schedule": "cron-backfill",
}


def source():
    """The folder of Argo's examples."""
    found = subprocess.run([str(REPO / "tools" / "argo"), "source"], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(found) / "examples"


def path_folders():
    """Folders that hold what the examples call beside a system's own tools; they go first on PATH."""
    return [STAND_INS, source().parent / "test" / "e2e" / "images" / "argosay" / "v2"]


def reason_not_to_run(name, text):
    """Why the example `name`, a path below examples/, is not run; None for one that is."""
    for reason, names in NOT_RUN.items():
        if name[:-len(".yaml")] in names.split():
            return reason
    if "random" in text:
        return "is random"
    if not re.search(r"^kind: Workflow(\s|$)", text, re.MULTILINE):
        return "is not a Workflow"
    return None


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def recorded():
    """What Argo made of the examples: the golden file."""
    return json.loads(GOLDEN.read_text())

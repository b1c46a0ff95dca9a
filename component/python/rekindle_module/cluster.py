"""This process's part in a cluster that TF_CONFIG describes."""

import json
import os


def is_chief():
    """Whether this process writes the model: the chief, worker 0 of a cluster without one, or a process alone."""
    config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    cluster = config.get("cluster")
    if not cluster:
        return True
    task = config.get("task", {})
    if task.get("type") in ("chief", "master"):
        return True
    has_chief = "chief" in cluster or "master" in cluster
    return task.get("type") == "worker" and task.get("index") == 0 and not has_chief

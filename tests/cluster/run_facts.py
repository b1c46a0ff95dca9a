"""What a metadata store says of one run of a pipeline, as facts that the same run elsewhere shares.

A fact is a record ("execution Trainer", "artifact Trainer.model"), what of it, and a value. Ids, places and times are replaced
by what they stand for, and so is what describes the machine.
"""

import collections
import json
import re

# Properties and parameters of which only the presence is compared. A fingerprint is of the files' times, the version that is pushed is
# the time of day, and the trainer of an image is another build than that of this machine.
TIMES = re.compile(r"(_at|_time|_millis|_seconds|_since_epoch|_per_second|^stat_fingerprint|^pushed_version)$")
MACHINE = {"argo_node_id", "code.trainer", "devices", "hostname", "owner", "peak_rss_bytes"}
# Keys are of what is compared as cache_fields, ids and digests among it.
KEYS = {"work_key"}
IDS = {"cached_from", "candidates", "id", "taken", "warm_started_from"}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ID_IN_TEXT = re.compile(r"(?<=/)\d+(?=/|$)|(?<=artifact )\d+$")
# Their files hold times and ids, and so their digests differ.
WITH_TIMES = ("ModelRun", "ModelEvaluation", "PushedModel")


def digests_with_times(lines):
    """A name for each digest of an artifact that is never the same twice."""
    artifacts = [json.loads(line)["artifact"] for line in lines if line.startswith('{"artifact"')]
    return {a["custom_properties"]["digest"]["string_value"]: "<digest of a %s>" % a["type"]
            for a in artifacts if a["type"] in WITH_TIMES and "digest" in a["custom_properties"]}


def store_ids(lines):
    """A name for the id of each store that executions were claimed in."""
    executions = [json.loads(line)["execution"] for line in lines if line.startswith('{"execution"')]
    logs = [e.get("custom_properties", {}).get("attempts", {}).get("string_value", "[]") for e in executions]
    return {attempt["store_id"]: "<store>" for log in logs for attempt in json.loads(log) if "store_id" in attempt}


class Plain:
    """Takes from values what differs from run to run. `names` says what to call certain texts: {"/artifacts": "<root>"}."""

    def __init__(self, names):
        self._names = sorted(names.items(), key=lambda item: -len(item[0]))

    def text(self, text):
        for concrete, name in self._names:
            text = text.replace(concrete, name)
        return UUID.sub("<uuid>", ID_IN_TEXT.sub("<id>", text))

    def value(self, name, value):
        """The value of a property, a parameter, or a field of either."""
        if name in MACHINE | KEYS or TIMES.search(name):
            return "<%s>" % name
        if name in IDS or name.endswith("_id"):
            return "<id>" if str(value).isdigit() or isinstance(value, list) else self.text(value)
        if isinstance(value, dict):
            return {key: self.value(key, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.value("", inner) for inner in value]
        if isinstance(value, str) and value[:1] in ("{", "["):
            return self.value(name, json.loads(value))
        return self.text(value) if isinstance(value, str) else value


class RunFacts(dict):
    """By (record, what), of an export of the store."""

    def __init__(self, lines, run, plain):
        super().__init__()
        self._plain = plain
        self._records = collections.defaultdict(list)
        for line in lines:
            for kind, value in json.loads(line).items():
                self._records[kind].append(value)
        self._nodes = self._nodes_of_executions()
        self._artifacts = self._names_of_artifacts()
        (context,) = [c["id"] for c in self._records["context"] if c["type"] == "pipeline_run" and c["name"] == run]
        mine = {a["execution_id"] for a in self._records["association"] if a["context_id"] == context}
        for execution in self._records["execution"]:
            if execution["id"] in mine:
                self._add_execution(execution)
        made = {e["artifact_id"] for e in self._records["event"] if e["execution_id"] in mine}
        for artifact in self._records["artifact"]:
            if artifact["id"] in made:
                self._add_node("artifact " + self._artifacts[artifact["id"]], artifact)

    def _nodes_of_executions(self):
        names = {c["id"]: c["name"].split(".", 1)[1] for c in self._records["context"] if c["type"] == "node"}
        return {a["execution_id"]: names[a["context_id"]] for a in self._records["association"] if a["context_id"] in names}

    def _names_of_artifacts(self):
        """By what put them out first: Trainer.model."""
        found = {}
        for event in self._records["event"]:
            if event["type"] == "OUTPUT" and event["execution_id"] in self._nodes:
                key = event["path"]["steps"][0]["key"]
                found.setdefault(event["artifact_id"], "%s.%s" % (self._nodes[event["execution_id"]], key))
        return found

    def _add_execution(self, execution):
        record = "execution " + self._nodes[execution["id"]]
        self._add_node(record, execution)
        events = [e for e in self._records["event"] if e["execution_id"] == execution["id"]]
        for event in events:
            path = "/".join(str(part) for step in event["path"]["steps"] for part in step.values())
            self[record, "event %s %s" % (event["type"], path)] = self._artifacts[event["artifact_id"]]
        contexts = {a["context_id"] for a in self._records["association"] if a["execution_id"] == execution["id"]}
        for context in self._records["context"]:
            if context["id"] in contexts:
                key = context["type"] == "execution_cache"
                self[record, "context " + context["type"]] = "<key>" if key else self._plain.text(context["name"])

    def _add_node(self, record, node):
        for field, value in node.items():
            if field.endswith("properties"):
                for name, typed in value.items():
                    ((kind, inner),) = typed.items()
                    self[record, "%s %s %s" % (field, name, kind)] = self._plain.value(name, inner)
            elif field != "type_id":
                self[record, field] = self._plain.value(field, value)

"""What a store and a pipeline root say of a pipeline, as facts that two runs can share.

A fact is a record ("execution Trainer"), what of it ("custom_property train_args") and its value. Names of runs, ids, digests,
times and the places of folders are left out or replaced by what they stand for.
"""

import collections
import json
import re

EVENT_TYPES = {3: "INPUT", 4: "OUTPUT", 6: "INTERNAL_OUTPUT"}
PROPERTY_TYPES = {1: "INT", 2: "DOUBLE", 3: "STRING"}
UUID = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
SHA256 = re.compile(r"^[0-9a-f]{64}$")


def form(value):
    """A value without what differs from run to run: long numbers, places of files, random names."""
    if not isinstance(value, str):
        return value
    if UUID.match(value):
        return "<uuid>"
    if SHA256.match(value):
        return "<sha256>"
    if value.startswith("/"):
        return "<path>"
    if is_python_object(value):
        return "<object, as json.dumps writes it>"
    return re.sub(r"\d{4,}", "<number>", re.sub(r'"/[^"]*"', '"<path>"', value))


def is_python_object(text):
    """Whether `text` is a JSON object just as Python writes it, on one line."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and json.dumps(value, sort_keys=True) == text


def property_value(row):
    """Kind and form of a property's value."""
    for kind in ("int", "double", "string", "bool"):
        value = row[kind + "_value"]
        if value is not None:
            return "%s %s" % (kind, "" if kind == "double" else form(value))
    return "none"


class StoreFacts:
    """The facts of one run of a pipeline in a store, by (record, what)."""

    def __init__(self, connection, run=None):
        self._db = connection
        self.facts = {}
        self._types = dict(connection.execute("SELECT id, name FROM Type"))
        runs = self._rows("SELECT * FROM Context WHERE type_id = ? ORDER BY id", self._type_id("pipeline_run"))
        self._run = next(r for r in runs if run in (None, r["name"]))
        self._nodes = {}  # execution id -> node id
        self._outputs = {}  # artifact id -> "Trainer.model"
        self._add_types()
        self._add_executions()
        self._add_artifacts()

    def _rows(self, query, *parameters):
        cursor = self._db.execute(query, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row)) for row in cursor]

    def _type_id(self, name):
        return next(id for id, other in self._types.items() if other == name)

    def _add(self, record, what, value):
        self.facts[record, what] = value

    def _add_types(self):
        kinds = {0: "execution", 1: "artifact", 2: "context"}
        parents = dict(self._db.execute("SELECT type_id, parent_type_id FROM ParentType"))
        for row in self._rows("SELECT * FROM Type"):
            record = "type %s" % row["name"].rsplit(".", 1)[-1]
            if row["name"].startswith("mlmd."):
                continue
            self._add(record, "name", row["name"])
            self._add(record, "kind", kinds[row["type_kind"]])
            for field in ("version", "description", "input_type", "output_type", "external_id"):
                self._add(record, field, row[field])
            self._add(record, "base_type", self._types.get(parents.get(row["id"])))
            for declared in self._rows("SELECT * FROM TypeProperty WHERE type_id = ?", row["id"]):
                self._add(record, "property %s" % declared["name"], PROPERTY_TYPES[declared["data_type"]])

    def _add_executions(self):
        rows = self._rows("SELECT Execution.* FROM Execution JOIN Association ON execution_id = Execution.id "
                          "WHERE context_id = ? ORDER BY Execution.id", self._run["id"])
        for row in rows:
            self._nodes[row["id"]] = self._node_of(row["id"])
        for row in rows:
            record = "execution %s" % self._nodes[row["id"]]
            self._add(record, "type", self._types[row["type_id"]])
            self._add(record, "state", row["last_known_state"])
            self._add(record, "name", form(row["name"]))
            self._add(record, "external_id", row["external_id"] is not None)
            self._add_properties(record, "ExecutionProperty", "execution_id", row["id"])
            self._add_contexts(record, row["id"])
            self._add_events(record, row["id"])

    def _contexts_of(self, execution_id):
        return self._rows("SELECT Context.* FROM Context JOIN Association ON context_id = Context.id "
                          "WHERE execution_id = ?", execution_id)

    def _node_of(self, execution_id):
        [name] = [c["name"] for c in self._contexts_of(execution_id) if self._types[c["type_id"]] == "node"]
        return name.split(".", 1)[1]

    def _context_name(self, context):
        """A context's name, as what it is made of."""
        if self._types[context["type_id"]] == "node":
            return "<pipeline>.%s" % context["name"].split(".", 1)[1]
        return form(context["name"]) if SHA256.match(context["name"]) else "<name>"

    def _add_contexts(self, record, execution_id):
        for context in self._contexts_of(execution_id):
            kind = self._types[context["type_id"]]
            self._add(record, "context %s" % kind, self._context_name(context))
            self._add("context %s" % kind, "external_id", context["external_id"])
            parents = self._rows("SELECT type_id FROM ParentContext JOIN Context ON Context.id = parent_context_id "
                                 "WHERE ParentContext.context_id = ?", context["id"])
            self._add("context %s" % kind, "parents", [self._types[p["type_id"]] for p in parents])
            self._add_properties("context %s" % kind, "ContextProperty", "context_id", context["id"])

    def _add_events(self, record, execution_id):
        for event in self._rows("SELECT Event.*, Artifact.type_id AS artifact_type FROM Event "
                                "JOIN Artifact ON Artifact.id = artifact_id WHERE execution_id = ?", execution_id):
            steps = self._rows("SELECT * FROM EventPath WHERE event_id = ? ORDER BY rowid", event["id"])
            path = [step["step_key"] if step["step_key"] is not None else step["step_index"] for step in steps]
            self._add(record, "event %s %s" % (EVENT_TYPES[event["type"]], path[0]),
                      "%s %s %s" % (path, [s["is_index_step"] for s in steps], self._types[event["artifact_type"]]))
            if EVENT_TYPES[event["type"]] == "OUTPUT":
                self._outputs[event["artifact_id"]] = "%s.%s" % (self._nodes[execution_id], path[0])

    def _add_artifacts(self):
        executions = {name: id for id, name in self._nodes.items()}
        for artifact_id, output in self._outputs.items():
            [row] = self._rows("SELECT * FROM Artifact WHERE id = ?", artifact_id)
            record = "artifact %s" % output
            node, key = output.split(".")
            tail = "/%s/%s/%d" % (node, key, executions[node])
            self._add(record, "uri", "<root>/<node>/<key>/<execution id>" if row["uri"].endswith(tail) else row["uri"])
            for field in ("state", "name", "external_id"):
                self._add(record, field, row[field])
            self._add_properties(record, "ArtifactProperty", "artifact_id", artifact_id)
            self._add_attributions(record, artifact_id)

    def _add_attributions(self, record, artifact_id):
        for context in self._rows("SELECT Context.* FROM Context JOIN Attribution ON context_id = Context.id "
                                  "WHERE artifact_id = ?", artifact_id):
            kind = self._types[context["type_id"]]
            if kind == "pipeline_run" and context["id"] != self._run["id"]:
                continue  # A later run used it.
            if kind == "execution_cache":
                users = self._rows("SELECT execution_id FROM Association WHERE context_id = ?", context["id"])
                whose = ",".join(self._nodes.get(u["execution_id"], "a later run") for u in users)
                self._add(record, "attributed to execution_cache of %s" % whose, True)
            else:
                self._add(record, "attributed to %s %s" % (kind, self._context_name(context)), True)

    def _add_properties(self, record, table, column, node_id):
        for row in self._rows("SELECT * FROM %s WHERE %s = ?" % (table, column), node_id):
            kind = "custom_property" if row["is_custom_property"] else "property"
            self._add(record, "%s %s" % (kind, row["name"]), property_value(row))


def only_nodes(facts, nodes):
    """The facts that say nothing of other nodes, nor of their types."""
    known = {"type %s" % t for t in ("Examples", "ExampleStatistics", "Schema", "Model", "ModelRun", "PushedModel",
                                     "pipeline", "pipeline_run", "node", "execution_cache", *nodes)}
    kept = {}
    for (record, what), value in facts.items():
        kind, name = record.split(" ", 1)
        if kind == "type" and record not in known:
            continue
        if kind in ("execution", "artifact") and name.split(".")[0] not in nodes:
            continue
        attributed = re.match(r"attributed to (?:node <pipeline>\.|execution_cache of )(.*)", what)
        if attributed and attributed[1] not in nodes:
            continue
        kept[record, what] = value
    return kept


def folder_facts(paths, nodes):
    """The facts of a pipeline root, from paths relative to it."""
    facts = {}
    for path in paths:
        parts = path.split("/")
        if parts[0] not in nodes and not parts[0].startswith("_"):
            continue
        parts = [re.sub(r"^\d+(-[a-z0-9]{10})?$", "<id>", re.sub(r"-0\.0\+.*", "-<version>", part)) for part in parts]
        facts["folder", "/".join(parts)] = True
    return facts


def difference(theirs, ours):
    """(record, what) of every fact that one side lacks or says otherwise, with both values."""
    absent = "<absent>"
    found = collections.OrderedDict()
    for fact in sorted(set(theirs) | set(ours)):
        pair = (theirs.get(fact, absent), ours.get(fact, absent))
        if pair[0] != pair[1]:
            found[fact] = pair
    return found

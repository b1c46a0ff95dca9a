"""Copies, loads and deletions, as the stock ml_metadata client sees them."""

import random

from ml_metadata.metadata_store import metadata_store
from ml_metadata.proto import metadata_store_pb2 as mlmd

import workspace


def open_with_peer(path):
    config = mlmd.ConnectionConfig()
    config.sqlite.filename_uri = str(path)
    config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE_OPENCREATE
    return metadata_store.MetadataStore(config)


def write_with_peer(store, seed):
    """A small graph with every kind of value, written by ml_metadata."""
    dice = random.Random(seed)
    kinds = {"i": mlmd.INT, "d": mlmd.DOUBLE, "s": mlmd.STRING, "t": mlmd.STRUCT, "b": mlmd.BOOLEAN}
    data = store.put_artifact_type(
        mlmd.ArtifactType(name="Data", version="v1", properties=kinds, base_type=mlmd.ArtifactType.DATASET))
    trainer = store.put_execution_type(mlmd.ExecutionType(name="Trainer", properties=kinds))
    run = store.put_context_type(mlmd.ContextType(name="Run", description="one run"))
    artifacts = [mlmd.Artifact(type_id=data, uri="/data/%d" % i, name="a-%d" % i, state=dice.randrange(4))
                 for i in range(40)]
    executions = [mlmd.Execution(type_id=trainer, external_id="e-%d" % i, last_known_state=dice.randrange(7))
                  for i in range(20)]
    for node in artifacts + executions:
        node.properties["i"].int_value = dice.randrange(-2**40, 2**40)
        node.properties["d"].double_value = dice.random() * 10 ** dice.randrange(-5, 5)
        node.properties["s"].string_value = dice.choice(["", "é日😀", "a'b\"c\\", "line\nline"])
        node.properties["b"].bool_value = dice.random() < 0.5
        node.custom_properties["t"].struct_value["x"] = dice.choice(["y", 1.5, None, True])
    artifact_ids = store.put_artifacts(artifacts)
    execution_ids = store.put_executions(executions)
    context_ids = store.put_contexts([mlmd.Context(type_id=run, name="run-%d" % i) for i in range(5)])
    pairs = {(dice.choice(artifact_ids), dice.choice(execution_ids)) for _ in range(60)}
    events = []
    for artifact, execution in sorted(pairs):
        event = mlmd.Event(artifact_id=artifact, execution_id=execution, type=dice.randrange(1, 8))
        event.path.steps.add(key="k")
        event.path.steps.add(index=dice.randrange(3))
        events.append(event)
    store.put_events(events)
    store.put_attributions_and_associations(
        [mlmd.Attribution(artifact_id=a, context_id=dice.choice(context_ids)) for a in artifact_ids],
        [mlmd.Association(execution_id=e, context_id=dice.choice(context_ids)) for e in execution_ids])
    store.put_parent_contexts([mlmd.ParentContext(child_id=c, parent_id=context_ids[0]) for c in context_ids[1:]])


def everything(store):
    """What ml_metadata reads, in an order that does not depend on the file."""
    executions = store.get_executions()
    contexts = store.get_contexts()
    events = store.get_events_by_execution_ids([e.id for e in executions])
    return (
        sorted(str(t) for t in store.get_artifact_types() + store.get_execution_types() + store.get_context_types()),
        sorted(str(n) for n in store.get_artifacts()),
        sorted(str(n) for n in executions),
        sorted(str(n) for n in contexts),
        sorted(str(e) for e in events),
        [sorted(a.id for a in store.get_artifacts_by_context(c.id)) for c in contexts],
        [sorted(e.id for e in store.get_executions_by_context(c.id)) for c in contexts],
        [sorted(p.id for p in store.get_parent_contexts_by_context(c.id)) for c in contexts],
    )


class MlmdCopiesTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.seed = random.randrange(2**31)
        print("seed", self.seed, flush=True)
        write_with_peer(open_with_peer(self.db), self.seed)
        self.before = everything(open_with_peer(self.db))

    def rekindle(self, *arguments, db=None):
        return self.ok(self.run_command("metadata", *arguments, db=db or self.db)).stdout

    def test_a_backup_is_a_store_of_ml_metadata(self):
        self.rekindle("backup", self.dir / "copy.db")
        self.assertEqual(everything(open_with_peer(self.dir / "copy.db")), self.before)

    def test_what_is_loaded_is_what_ml_metadata_wrote(self):
        text = self.rekindle("export")
        (self.dir / "export.jsonl").write_text(text)
        new = self.dir / "new.db"
        self.rekindle("load", self.dir / "export.jsonl", db=new)
        self.assertEqual(self.rekindle("export", db=new), text)
        self.assertEqual(everything(open_with_peer(new)), self.before)
        # And it goes on writing there.
        store = open_with_peer(new)
        [artifact] = store.get_artifacts_by_id([1])
        artifact.uri = "/elsewhere"
        self.assertEqual(store.put_artifacts([artifact]), [1])

    def test_what_is_left_after_a_deletion_is_a_store_of_ml_metadata(self):
        dice = random.Random(self.seed)
        artifacts = dice.sample(range(1, 41), 10)
        executions = dice.sample(range(1, 21), 5)
        self.rekindle("delete", "artifact", *artifacts, "execution", *executions, "context", 1, "--break-lineage")
        store = open_with_peer(self.db)
        self.assertEqual({a.id for a in store.get_artifacts()}, set(range(1, 41)) - set(artifacts))
        self.assertEqual({e.id for e in store.get_executions()}, set(range(1, 21)) - set(executions))
        self.assertEqual({c.id for c in store.get_contexts()}, {2, 3, 4, 5})
        for event in store.get_events_by_execution_ids(list(range(1, 21))):
            self.assertNotIn(event.artifact_id, artifacts)
            self.assertNotIn(event.execution_id, executions)
        self.assertEqual(store.get_parent_contexts_by_context(2), [])
        # Its ids are not given out again.
        [new] = store.put_artifacts([mlmd.Artifact(type_id=store.get_artifact_type("Data", "v1").id)])
        self.assertEqual(new, 41)


if __name__ == "__main__":
    workspace.main()

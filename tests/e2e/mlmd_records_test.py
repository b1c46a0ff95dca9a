"""The stock ml_metadata client reads what a pipeline of ours recorded."""

import workspace
from ml_metadata.metadata_store import metadata_store
from ml_metadata.proto import metadata_store_pb2 as mlmd


def plain(properties):
    """Property values by name, as `rekindle -o json` prints them."""
    return {name: getattr(value, value.WhichOneof("value")) for name, value in properties.items()}


class MlmdRecordsTest(workspace.Workspace):

    def open(self):
        config = mlmd.ConnectionConfig()
        config.sqlite.filename_uri = str(self.db)
        config.sqlite.connection_mode = mlmd.SqliteMetadataSourceConfig.READWRITE
        return metadata_store.MetadataStore(config)

    def assert_same_properties(self, theirs, ours):
        """Equal but for the last bits of doubles: the client reads them through 15 digits of text."""
        theirs = plain(theirs)
        self.assertEqual(theirs.keys(), ours.keys())
        for name, value in ours.items():
            if isinstance(value, float):
                self.assertAlmostEqual(theirs[name], value, delta=abs(value) * 1e-14, msg=name)
            else:
                self.assertEqual(theirs[name], value, name)

    def test_the_client_sees_the_same_pipeline(self):
        self.prepare()
        self.train("r1")
        self.train("r2")
        self.report("evaluate", run_id="r2", label_key="species", threshold="accuracy>=0.5")
        self.report("push", run_id="r2", destination=self.dir / "serving")
        self.report("resolve", run_id="r2", input="model=Model:latest-blessed")
        store = self.open()

        artifacts = {a.id: a for a in store.get_artifacts()}
        ours = self.query("list", "artifacts")
        self.assertEqual(sorted(artifacts), sorted(a["id"] for a in ours))
        for mine in ours:
            theirs = artifacts[mine["id"]]
            self.assertEqual(theirs.uri, mine["uri"])
            self.assertEqual(theirs.type, mine["type"])
            self.assertEqual(mlmd.Artifact.State.Name(theirs.state), mine["state"])
            self.assert_same_properties(theirs.properties, mine["properties"])
            self.assert_same_properties(theirs.custom_properties, mine["custom_properties"])

        executions = {e.id: e for e in store.get_executions()}
        for mine in self.query("list", "executions"):
            theirs = executions.pop(mine["id"])
            self.assertEqual(theirs.type, mine["type"])
            self.assertEqual(mlmd.Execution.State.Name(theirs.last_known_state), mine["last_known_state"])
            self.assert_same_properties(theirs.custom_properties, mine["custom_properties"])
            events = self.query("get", "execution", mine["id"])["events"]
            self.assertEqual(
                [(e.artifact_id, mlmd.Event.Type.Name(e.type), e.path.steps[0].key, e.path.steps[1].index)
                 for e in store.get_events_by_execution_ids([mine["id"]])],
                [(e["artifact_id"], e["type"], *e["path"]) for e in events])
        self.assertEqual(executions, {})

    def test_types_and_contexts_are_those_of_tfx(self):
        self.prepare()
        self.train("r1")
        store = self.open()
        examples = store.get_artifact_type("Examples")
        self.assertEqual(dict(examples.properties), {"span": mlmd.INT, "version": mlmd.INT, "split_names": mlmd.STRING})
        self.assertEqual(examples.base_type, mlmd.ArtifactType.DATASET)
        self.assertEqual(store.get_artifact_type("Model").base_type, mlmd.ArtifactType.MODEL)
        trainer = store.get_execution_type("tfx.components.trainer.component.Trainer")
        self.assertEqual(trainer.base_type, mlmd.ExecutionType.TRAIN)

        run = store.get_context_by_type_and_name("pipeline_run", "r1")
        self.assertEqual([c.name for c in store.get_parent_contexts_by_context(run.id)], ["penguin"])
        self.assertEqual(len(store.get_executions_by_context(run.id)), 3)
        node = store.get_context_by_type_and_name("node", "penguin.Trainer")
        # The inputs of a node belong to its context, too.
        self.assertEqual(sorted(a.type for a in store.get_artifacts_by_context(node.id)),
                         ["Examples", "Model", "ModelRun", "Schema"])

    def test_what_the_client_adds_is_seen_here(self):
        self.prepare()
        store = self.open()
        model = mlmd.Artifact(type_id=store.put_artifact_type(mlmd.ArtifactType(name="Report")), uri="/somewhere",
                              state=mlmd.Artifact.LIVE)
        model.custom_properties["note"].string_value = "written by ml_metadata"
        [model_id] = store.put_artifacts([model])
        seen = self.query("get", "artifact", model_id)
        self.assertEqual((seen["type"], seen["uri"], seen["custom_properties"]["note"]),
                         ("Report", "/somewhere", "written by ml_metadata"))


if __name__ == "__main__":
    workspace.main()

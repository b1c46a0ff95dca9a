"""The stock ml_metadata client, which knows certificates and no tokens, at a server with TLS that gives certificates roles."""

import sqlite3

import served
import workspace
from authority import Authority
from ml_metadata import errors
from ml_metadata.metadata_store import metadata_store
from ml_metadata.proto import metadata_store_pb2 as mlmd

GOLDEN = workspace.REPO / "tests" / "golden"
ROLES = """\
cert:dashboard reader
cert:rekindle-steps step
cert:tfx-runner writer
cert:spiffe://cluster.test/ns/ops admin
"""


class StockClientTest(served.ServedWorkspace):

    def setUp(self):
        super().setUp()
        self.ours, self.theirs = Authority(self.dir, "ours"), Authority(self.dir, "theirs")
        tokens = self.dir / "tokens"
        tokens.touch(0o600)
        tokens.write_text(ROLES)
        certificate, key = self.ours.sign("server")
        self.log = self.dir / "audit.jsonl"
        self.server = self.serve(tls_cert=certificate, tls_key=key, tls_client_ca=self.ours.certificate, token_file=tokens,
                                 audit_log=self.log)

    def client(self, name, authority=None, **names):
        certificate, key = (authority or self.ours).sign(name, **names)
        host, port = self.server.grpc.rsplit(":", 1)
        config = mlmd.MetadataStoreClientConfig(host=host, port=int(port))
        config.ssl_config.custom_ca = self.ours.certificate.read_text()
        config.ssl_config.server_cert = certificate.read_text()  # the client's own; the name is ml_metadata's
        config.ssl_config.client_key = key.read_text()
        return metadata_store.MetadataStore(config)

    def put_type(self, client, name="Model"):
        return client.put_artifact_type(mlmd.ArtifactType(name=name))

    def assert_denied(self, call, *arguments):
        # ml_metadata's own class for the code.
        with self.assertRaises(errors.PermissionDeniedError) as caught:
            call(*arguments)
        return str(caught.exception)

    def test_a_certificate_may_do_what_its_role_may(self):
        self.assertEqual(self.put_type(self.client("tfx-runner")), 10)
        for name in ("dashboard", "rekindle-steps"):
            client = self.client(name)
            self.assertEqual([kind.name for kind in client.get_artifact_types()][-1:], ["Model"])
            self.assertIn("needs the role writer", self.assert_denied(self.put_type, client))

    def test_an_alternative_name_has_a_role_too(self):
        client = self.client("somebody", names="URI:spiffe://cluster.test/ns/ops")
        self.assertEqual(self.put_type(client), 10)
        self.assertIn('"who":"spiffe://cluster.test/ns/ops"', self.log.read_text())

    def test_a_certificate_without_a_role_is_nobody(self):
        with self.assertRaises(errors.UnauthenticatedError):
            self.client("stranger").get_artifact_types()
        with self.assertRaises(errors.UnavailableError):
            self.client("tfx-runner", authority=self.theirs).get_artifact_types()

    def test_a_certificate_has_the_same_role_over_http(self):
        for name, status in (("tfx-runner", 200), ("dashboard", 403), ("stranger", 401), (None, 401)):
            shown = ()
            if name is not None:
                certificate, key = self.ours.sign(name)
                shown = ("--cert", str(certificate), "--key", str(key))
            answer = self.server.curl("/api/v1/PutArtifactType", "--cacert", str(self.ours.certificate), *shown,
                                      data='{"artifactType": {"name": "Model"}}')
            self.assertEqual(answer[0], status, (name, answer))
        self.assertIn('"who":"tfx-runner","role":"writer","from":"127.0.0.1","by":"http","call":"PutArtifactType"',
                      self.log.read_text())

    def test_what_tfx_recorded_is_recorded_over_tls(self):
        """The store of a real run of TFX 1.21, put by the client that TFX uses, call by call, and read back."""
        theirs = self.golden_store("tfx-1.21-simple")
        ours = self.client("tfx-runner")
        copied = Copy(theirs, ours)
        copied.run()
        self.assertGreater(copied.nodes, 10)
        for get in ("get_artifacts", "get_executions", "get_contexts", "get_artifact_types", "get_execution_types"):
            self.assertEqual(len(getattr(ours, get)()), len(getattr(theirs, get)()), get)
        dashboard = self.client("dashboard")
        self.assertEqual({a.uri for a in dashboard.get_artifacts()}, {a.uri for a in theirs.get_artifacts()})

    def golden_store(self, name):
        path = self.dir / "golden.db"
        with sqlite3.connect(path) as connection:
            connection.executescript((GOLDEN / name / "metadata_dump.sql").read_text())
        config = mlmd.ConnectionConfig()
        config.sqlite.filename_uri = str(path)
        return metadata_store.MetadataStore(config)


class Copy:
    """All of one store into another, with the calls by which TFX writes: put_execution with its artifacts and contexts."""

    def __init__(self, source, target):
        self.source, self.target, self.nodes = source, target, 0

    def run(self):
        self.types = {}
        for kind in ("artifact", "execution", "context"):
            for declared in getattr(self.source, "get_%s_types" % kind)():
                old = declared.id
                declared.ClearField("id")
                self.types[kind, old] = getattr(self.target, "put_%s_type" % kind)(declared, can_add_fields=True)
        contexts = {context.id: self.anew("context", context) for context in self.source.get_contexts()}
        artifacts = {artifact.id: self.anew("artifact", artifact) for artifact in self.source.get_artifacts()}
        for execution in self.source.get_executions():
            events = self.source.get_events_by_execution_ids([execution.id])
            around = [contexts[context.id] for context in self.source.get_contexts_by_execution(execution.id)]
            execution_id, artifact_ids, context_ids = self.target.put_execution(
                self.anew("execution", execution), [self.pair(artifacts, event) for event in events], around,
                reuse_context_if_already_exist=True)
            for event, new_id in zip(events, artifact_ids):
                artifacts[event.artifact_id].id = new_id
            for context, new_id in zip(around, context_ids):
                context.id = new_id

    def anew(self, kind, node):
        """A copy without what the target gives it."""
        copy = type(node)()
        copy.CopyFrom(node)
        for field in ("id", "type", "create_time_since_epoch", "last_update_time_since_epoch"):
            copy.ClearField(field)
        copy.type_id = self.types[kind, node.type_id]
        self.nodes += 1
        return copy

    def pair(self, artifacts, event):
        copy = mlmd.Event(type=event.type)
        copy.path.CopyFrom(event.path)
        if artifacts[event.artifact_id].id:
            copy.artifact_id = artifacts[event.artifact_id].id
        return artifacts[event.artifact_id], copy


if __name__ == "__main__":
    workspace.main()

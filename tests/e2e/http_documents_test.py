"""What the server says about itself, held against the formats' own validators."""

import json

import openapi_spec_validator
import served
import workspace
from prometheus_client import parser


class HttpDocumentsTest(served.ServedWorkspace):

    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def metrics(self):
        status, text = self.server.curl("/metrics")
        self.assertEqual(status, 200)
        return [sample for family in parser.text_string_to_metric_families(text) for sample in family.samples]

    def values(self, name, **labels):
        return [sample.value for sample in self.metrics()
                if sample.name == name and labels.items() <= sample.labels.items()]

    def test_openapi(self):
        status, text = self.server.curl("/api/v1/openapi.json")
        self.assertEqual(status, 200)
        document = json.loads(text)
        openapi_spec_validator.validate(document)
        calls = [path for path in document["paths"] if path.startswith("/api/v1/")]
        self.assertGreaterEqual(len(calls), 52 + 5)
        for path in ("/api/v1/PutExecution", "/api/v1/GetLineageSubgraph", "/api/v1/Publish"):
            self.assertIn("post", document["paths"][path])
        artifact = document["components"]["schemas"]["ml_metadata.Artifact"]["properties"]
        self.assertEqual(artifact["id"], {"type": "string", "format": "int64"})
        self.assertEqual(artifact["properties"]["additionalProperties"], {"$ref": "#/components/schemas/ml_metadata.Value"})

    def test_calls_are_counted(self):
        self.server.call("GetArtifacts", {})
        self.server.call("GetArtifacts", {})
        self.server.call("GetArtifactType", {"typeName": "None"})
        self.ok(self.run_command("metadata", "list", "artifacts", metadata=self.server.url))
        calls = "rekindle_requests_total"
        self.assertEqual(self.values(calls, method="GetArtifacts", transport="http", code="OK"), [2])
        self.assertEqual(self.values(calls, method="GetArtifactType", transport="http", code="NOT_FOUND"), [1])
        self.assertEqual(self.values(calls, method="GetArtifacts", transport="grpc", code="OK"), [1])
        took = "rekindle_request_duration_seconds"
        self.assertEqual(self.values(took + "_count", method="GetArtifacts", transport="http"), [2])
        self.assertEqual(self.values(took + "_bucket", method="GetArtifacts", transport="http", le="+Inf"), [2])
        self.assertGreater(self.values(took + "_sum", method="GetArtifacts", transport="http")[0], 0)

    def test_the_server_itself(self):
        self.assertEqual(self.values("rekindle_requests_in_flight"), [0])
        self.assertEqual(self.values("rekindle_store_bytes"), [self.db.stat().st_size])
        self.assertEqual(self.values("rekindle_build_info"), [1])
        self.assertGreater(self.values("rekindle_uptime_seconds")[0], 0)


if __name__ == "__main__":
    workspace.main()

"""Every call of ML Metadata's service with curl, and with the stock client's stub: the same answers."""

import grpc
import served
import workspace
from google.protobuf import json_format
from ml_metadata.proto import metadata_store_pb2 as mlmd
from ml_metadata.proto import metadata_store_service_pb2 as service
from ml_metadata.proto import metadata_store_service_pb2_grpc as service_grpc

ALL_METHODS = {method.name for method in service.DESCRIPTOR.services_by_name["MetadataStoreService"].methods}
# What the clock of the server decides.
TIMES = {"createTimeSinceEpoch", "lastUpdateTimeSinceEpoch"}
TYPES = {
    "artifactTypes": [{
        "name": "Model", "version": "1", "externalId": "type-model",
        "properties": {"steps": "INT", "loss": "DOUBLE", "Kind": "STRING", "shape": "STRUCT", "blob": "PROTO",
                       "final": "BOOLEAN"},
    }],
    "executionTypes": [{"name": "Trainer", "externalId": "type-trainer", "properties": {"note": "STRING"}}],
    "contextTypes": [{"name": "Run", "externalId": "type-run", "properties": {"day": "INT"}}],
}


def without_times(value):
    if isinstance(value, dict):
        return {name: without_times(field) for name, field in value.items() if name not in TIMES}
    return [without_times(element) for element in value] if isinstance(value, list) else value


def to_request(method, body):
    """The message that `body` stands for. protobuf's own mapping would turn the path properties.Kind of a field mask
    into properties._kind, which is why ours has them as they are."""
    masks = {name: body[name]["paths"] for name in ("updateMask", "readMask") if name in body}
    rest = {name: field for name, field in body.items() if name not in masks}
    request = json_format.ParseDict(rest, getattr(service, method + "Request")())
    for name, paths in masks.items():
        getattr(request, name.replace("Mask", "_mask")).paths.extend(paths)
    return request


class HttpPeerTest(served.ServedWorkspace):

    def setUp(self):
        super().setUp()
        self.by_curl = self.serve(self.dir / "curl.db")
        self.by_stub = self.serve(self.dir / "stub.db")
        self.called = set()

    def stub_call(self, server, method, body):
        """JSON value of the answer, or the code and message of the error."""
        request = to_request(method, body)
        with grpc.insecure_channel(server.grpc) as channel:
            try:
                answer = getattr(service_grpc.MetadataStoreServiceStub(channel), method)(request)
            except grpc.RpcError as error:
                return {"code": error.code().value[0], "status": error.code().name, "message": error.details()}
        return json_format.MessageToDict(answer)

    def write(self, method, body):
        """Sends a write to one store by curl and to the other by the stub; the answer, which must be the same."""
        self.called.add(method)
        status, answer = self.by_curl.call(method, body)
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer, self.stub_call(self.by_stub, method, body), method)
        return answer

    def read(self, method, body):
        """Reads one store both ways, exactly the same; and the other, the same but for times."""
        self.called.add(method)
        status, answer = self.by_curl.call(method, body)
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer, self.stub_call(self.by_curl, method, body), method)
        self.assertEqual(without_times(answer), without_times(self.stub_call(self.by_stub, method, body)), method)
        self.assertTrue(answer, "%s found nothing: the test would compare nothing" % method)
        return answer

    def fail_both(self, method, body, http_status):
        status, answer = self.by_curl.call(method, body)
        self.assertEqual(status, http_status, answer)
        self.assertEqual(answer, self.stub_call(self.by_curl, method, body))

    def put_types(self):
        self.write("PutArtifactType", {"artifactType": {"name": "Data"}})
        self.write("PutExecutionType", {"executionType": {"name": "Gen"}})
        self.write("PutContextType", {"contextType": {"name": "Pipeline"}})
        ids = self.write("PutTypes", TYPES)
        self.model, self.trainer, self.run = (
            ids[name][0] for name in ("artifactTypeIds", "executionTypeIds", "contextTypeIds"))

    def put_nodes(self):
        self.write("PutArtifacts", {"artifacts": [{
            "typeId": self.model, "name": "first", "uri": "/models/1", "externalId": "model-1", "state": "LIVE",
            "properties": {"steps": {"intValue": "9007199254740993"}, "loss": {"doubleValue": 0.1},
                           "Kind": {"stringValue": "d\u00e9j\u00e0 \u0000 vu"}, "final": {"boolValue": True},
                           "shape": {"structValue": {"layers": [8, 4], "name": "dnn"}}},
            "customProperties": {"anything": {"doubleValue": "-Infinity"}},
        }]})
        # A key with a capital letter: what JSON makes of field masks must not touch it.
        self.write("PutArtifacts", {
            "artifacts": [{"id": "1", "typeId": self.model, "uri": "ignored",
                           "properties": {"Kind": {"stringValue": "changed"}}}],
            "updateMask": {"paths": ["properties.Kind"]}})
        self.write("PutExecutions", {"executions": [{"typeId": self.trainer, "name": "train", "externalId": "run/train",
                                                     "lastKnownState": "RUNNING"}]})
        self.write("PutContexts", {"contexts": [
            {"typeId": self.run, "name": "monday", "externalId": "run-monday", "properties": {"day": {"intValue": 1}}},
            {"typeId": self.run, "name": "tuesday"}]})
        self.write("PutEvents", {"events": [{"artifactId": "1", "executionId": "1", "type": "INPUT",
                                             "path": {"steps": [{"key": "base_model"}, {"index": "0"}]},
                                             "millisecondsSinceEpoch": "1000"}]})
        self.write("PutExecution", {
            "execution": {"id": "1", "typeId": self.trainer, "externalId": "run/train", "lastKnownState": "COMPLETE"},
            "artifactEventPairs": [{"artifact": {"typeId": self.model, "uri": "/models/2", "name": "second"},
                                    "event": {"type": "OUTPUT", "millisecondsSinceEpoch": "2000"}}],
            "contexts": [{"id": "1", "typeId": self.run, "name": "monday", "externalId": "run-monday"}]})
        self.write("PutLineageSubgraph", {
            "executions": [{"typeId": self.trainer, "name": "retrain"}],
            "artifacts": [{"typeId": self.model, "uri": "/models/3", "name": "third"}],
            "eventEdges": [{"executionIndex": 0, "artifactIndex": 0,
                            "event": {"type": "OUTPUT", "millisecondsSinceEpoch": "3000"}}]})
        self.write("PutAttributionsAndAssociations", {"attributions": [{"artifactId": "1", "contextId": "2"}],
                                                      "associations": [{"executionId": "1", "contextId": "2"}]})
        self.write("PutParentContexts", {"parentContexts": [{"childId": "2", "parentId": "1"}]})

    def read_types(self):
        for kind, name, version, type_id in (("Artifact", "Model", "1", self.model),
                                             ("Execution", "Trainer", None, self.trainer),
                                             ("Context", "Run", None, self.run)):
            by_name = {"typeName": name, **({"typeVersion": version} if version else {})}
            self.read("Get%sType" % kind, by_name)
            self.read("Get%sTypes" % kind, {})
            self.read("Get%sTypesByID" % kind, {"typeIds": [type_id]})
            self.read("Get%sTypesByExternalIds" % kind, {"externalIds": ["type-" + name.lower()]})
            self.read("Get%ssByType" % kind, by_name)
            node = {"Artifact": "first", "Execution": "train", "Context": "monday"}[kind]
            self.read("Get%sByTypeAndName" % kind, {**by_name, kind.lower() + "Name": node})

    def read_nodes(self):
        for kind, external_id in (("Artifact", "model-1"), ("Execution", "run/train"), ("Context", "run-monday")):
            self.read("Get%ss" % kind, {"options": {
                "maxResultSize": 1, "filterQuery": "external_id = '%s'" % external_id}})
            self.read("Get%ssByID" % kind, {kind.lower() + "Ids": [1, "2"]})
            self.read("Get%ssByExternalIds" % kind, {"externalIds": [external_id]})
        first = self.read("GetArtifacts", {"options": {"maxResultSize": 2}})
        rest = self.read("GetArtifacts", {"options": {"maxResultSize": 2, "nextPageToken": first["nextPageToken"]}})
        self.assertEqual([a["id"] for a in first["artifacts"] + rest["artifacts"]], ["1", "2", "3"])
        self.read("GetArtifactsByURI", {"uris": ["/models/1"]})
        self.read("GetArtifactsByID", {"artifactIds": [1], "populateArtifactTypes": True})

    def read_edges(self):
        self.read("GetEventsByArtifactIDs", {"artifactIds": [1]})
        self.read("GetEventsByExecutionIDs", {"executionIds": [1]})
        self.read("GetArtifactsByContext", {"contextId": 2})
        self.read("GetExecutionsByContext", {"contextId": 2})
        self.read("GetContextsByArtifact", {"artifactId": 1})
        self.read("GetContextsByExecution", {"executionId": 1})
        self.read("GetParentContextsByContext", {"contextId": 2})
        self.read("GetChildrenContextsByContext", {"contextId": 1})
        self.read("GetParentContextsByContexts", {"contextIds": [2]})
        self.read("GetChildrenContextsByContexts", {"contextIds": [1]})
        self.read("GetLineageGraph", {"options": {
            "artifactsOptions": {"filterQuery": "uri = '/models/1'"}, "stopConditions": {"maxNumHops": "2"}}})
        graph = self.read("GetLineageSubgraph", {
            "lineageSubgraphQueryOptions": {"startingArtifacts": {"filterQuery": "uri = '/models/1'"}, "maxNumHops": "2",
                                            "direction": "DOWNSTREAM"},
            "readMask": {"paths": ["artifacts", "events"]}})
        self.assertEqual(sorted(graph["lineageSubgraph"]), ["artifacts", "events"])

    def test_every_call(self):
        self.put_types()
        self.put_nodes()
        self.read_types()
        self.read_nodes()
        self.read_edges()
        self.assertEqual(len(ALL_METHODS), 52)
        self.assertEqual(self.called, ALL_METHODS)

    def test_errors(self):
        self.put_types()
        self.fail_both("GetArtifactType", {"typeName": "None"}, 404)
        self.fail_both("PutArtifacts", {"artifacts": [{"uri": "x"}]}, 400)
        self.fail_both("PutContexts", {"contexts": [{"typeId": self.run, "name": "a"}] * 2}, 409)
        self.fail_both("GetArtifacts", {"options": {"filterQuery": "uri = "}}, 400)

    def test_messages_of_any_type(self):
        """PROTO properties hold what neither side has heard of, as base64."""
        self.put_types()
        held = {"@type": "type.googleapis.com/nobody.Knows", "value": "CAE="}
        status, _ = self.by_curl.call("PutArtifacts", {"artifacts": [
            {"typeId": self.model, "properties": {"blob": {"protoValue": held}}}]})
        self.assertEqual(status, 200)
        _, answer = self.by_curl.call("GetArtifactsByID", {"artifactIds": [1]})
        self.assertEqual(answer["artifacts"][0]["properties"]["blob"]["protoValue"], held)
        with grpc.insecure_channel(self.by_curl.grpc) as channel:
            got = service_grpc.MetadataStoreServiceStub(channel).GetArtifactsByID(
                service.GetArtifactsByIDRequest(artifact_ids=[1]))
        value = got.artifacts[0].properties["blob"].proto_value
        self.assertEqual((value.type_url, value.value), (held["@type"], b"\x08\x01"))

    def test_bytes_that_are_no_text(self):
        """JSON cannot carry them: they arrive as U+FFFD, and the store keeps what it has."""
        self.put_types()
        # A Python string cannot hold them either, so they are put into the message on the wire.
        request = service.PutArtifactsRequest(artifacts=[mlmd.Artifact(type_id=int(self.model), uri="x##y")])
        wire = request.SerializeToString().replace(b"##", b"\xff\xfe")
        with grpc.insecure_channel(self.by_curl.grpc) as channel:
            channel.unary_unary("/ml_metadata.MetadataStoreService/PutArtifacts")(wire)
        _, answer = self.by_curl.call("GetArtifactsByID", {"artifactIds": [1]})
        self.assertEqual(answer["artifacts"][0]["uri"], "x\ufffd\ufffdy")


class GrpcHealthTest(served.ServedWorkspace):

    def check(self, server, service_name):
        """The standard Check call; its request is {1: name}, its answer {1: status}."""
        name = service_name.encode()
        request = bytes([0x0A, len(name)]) + name if name else b""
        with grpc.insecure_channel(server.grpc) as channel:
            return channel.unary_unary("/grpc.health.v1.Health/Check")(request)

    def test_the_server_and_its_services_are_healthy(self):
        server = self.serve()
        serving = b"\x08\x01"
        for name in ("", "ml_metadata.MetadataStoreService", "rekindle.v1.StepService"):
            self.assertEqual(self.check(server, name), serving)
        with self.assertRaises(grpc.RpcError) as unknown:
            self.check(server, "no.Such")
        self.assertEqual(unknown.exception.code(), grpc.StatusCode.NOT_FOUND)


if __name__ == "__main__":
    workspace.main()

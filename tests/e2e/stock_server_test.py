"""ML Metadata's own store behind its own service: good for questions, refused for steps."""

import json
from concurrent import futures

import grpc
import workspace
from ml_metadata.metadata_store.pywrap.metadata_store_extension import metadata_store as pywrap
from ml_metadata.proto import metadata_store_pb2 as mlmd
from ml_metadata.proto import metadata_store_service_pb2 as service

SERVICE = service.DESCRIPTOR.services_by_name["MetadataStoreService"]
FAILED = 1


class StockServer(grpc.GenericRpcHandler):
    """Answers the 52 calls by ml_metadata's embedded store, and no other."""

    def __init__(self, database):
        config = mlmd.ConnectionConfig()
        config.sqlite.filename_uri = str(database)
        self.store = pywrap.CreateMetadataStore(config.SerializeToString(), b"")
        # Its embedded store is made for one thread.
        self.server = grpc.server(futures.ThreadPoolExecutor(max_workers=1))
        self.server.add_generic_rpc_handlers([self])
        self.address = "127.0.0.1:%d" % self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()

    def service(self, details):
        name, method = details.method.lstrip("/").split("/")
        if name != SERVICE.full_name:
            return None

        def call(request, context):
            answer, message, code = getattr(pywrap, method)(self.store, request)
            if code != 0:
                context.abort(list(grpc.StatusCode)[code], message.decode())
            return answer

        return grpc.unary_unary_rpc_method_handler(call)


class StockServerTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        stock = StockServer(self.dir / "stock.db")
        self.addCleanup(stock.server.stop, None)
        self.url = "grpc://" + stock.address

    def test_a_step_refuses_it_by_name_and_writes_nothing(self):
        result = self.run_command("example-gen", pipeline="penguin", metadata=self.url, pipeline_root=self.root,
                                  input=workspace.PENGUINS)
        self.assert_refused(result, FAILED, self.url.removeprefix("grpc://"), "rekindle serve")
        self.assertFalse(self.root.exists())

    def test_a_question_is_answered(self):
        listed = self.ok(self.run_command("metadata", "list", "executions", metadata=self.url, output="json"))
        self.assertEqual(json.loads(listed.stdout), [])


if __name__ == "__main__":
    workspace.main()

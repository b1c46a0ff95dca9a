"""`rekindle serve` as a user and an orchestrator see it."""

import json
import signal
import socket
import sqlite3
import subprocess

import served
import workspace

FAILED, USAGE, NOT_FOUND, CONFLICT, TRY_AGAIN = 1, 2, 3, 4, 75
OPEN_TYPE = {"artifactType": {"name": "Model"}}


class StoreBehindAPortTest(served.ServedWorkspace):

    def step_over(self, url, **flags):
        return self.run_command("example-gen", pipeline="penguin", pipeline_root=self.root, input=workspace.PENGUINS,
                                null_value="NA", metadata=url, **flags)

    def test_a_step_and_a_query(self):
        server = self.serve()
        self.ok(self.step_over(server.url, run_id="r1"))
        listed = self.ok(self.run_command("metadata", "list", "artifacts", metadata=server.url, output="json"))
        self.assertEqual([a["type"] for a in json.loads(listed.stdout)], ["Examples"])
        self.assertEqual(server.stop(), 0)
        # What was recorded is in the file.
        self.assertEqual(self.states(), ["COMPLETE"])

    def test_a_server_that_cannot_be_reached(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            address = "127.0.0.1:%d" % unused.getsockname()[1]
            self.assert_refused(self.step_over("grpc://" + address, store_timeout="1s"), TRY_AGAIN, address, "cannot be reached")
            result = self.run_command("metadata", "list", "artifacts", metadata="grpc://" + address)
            self.assert_refused(result, TRY_AGAIN, address, "cannot be reached")

    def test_a_check_says_whether_a_server_answers(self):
        server = self.serve(host="0.0.0.0", insecure="true")
        port = server.grpc.rpartition(":")[2]
        self.ok(self.run_command("serve", "--check", host="0.0.0.0", grpc_port=port))
        self.assertEqual(server.stop(), 0)
        self.assert_refused(self.run_command("serve", "--check", grpc_port=port), TRY_AGAIN, "127.0.0.1:" + port)

    def test_two_stores_are_one_too_many(self):
        result = self.run_command("metadata", "list", "artifacts", metadata="grpc://localhost:1", db="x.db")
        self.assert_refused(result, USAGE, "grpc://localhost:1", "x.db", "two stores")

    def test_read_only(self):
        server = self.serve()
        self.assertEqual(server.call("PutArtifactType", OPEN_TYPE)[0], 200)
        self.assertEqual(server.stop(), 0)
        reader = self.serve(read_only="true")
        self.assertEqual(reader.call("GetArtifactType", {"typeName": "Model"})[0], 200)
        status, answer = reader.call("PutArtifactType", {"artifactType": {"name": "Other"}})
        self.assertEqual((status, answer["status"]), (403, "PERMISSION_DENIED"))


class StartTest(served.ServedWorkspace):

    def start(self, **flags):
        return self.run_command("serve", **{"db": self.db, "grpc_port": 0, **flags})

    def test_a_port_that_is_taken(self):
        server = self.serve()
        for flag, address in (("grpc_port", server.grpc), ("http_port", server.addresses["http"])):
            result = self.start(db=self.dir / "other.db", **{flag: address.rpartition(":")[2]})
            self.assert_refused(result, TRY_AGAIN, address, "is taken")

    def test_mistakes_of_usage(self):
        self.assert_refused(self.start(grpc_port=65536), USAGE, "--grpc-port is 65536")
        self.assert_refused(self.start(http_port=-1), USAGE, "--http-port is -1")
        self.assert_refused(self.start(max_message_bytes=0), USAGE, "--max-message-bytes is 0")
        self.assert_refused(self.start(grace="soon"), USAGE, "--grace", "soon")
        self.assert_refused(self.start(max_call_time="0s"), USAGE, "--max-call-time")
        self.assert_refused(self.start(host="192.0.2.1", insecure="true"), USAGE, "192.0.2.1", "not an address of this machine")
        self.assert_refused(self.start(metadata="grpc://x:1"), USAGE, "--metadata")

    def test_databases_it_cannot_serve(self):
        self.assert_refused(self.start(db=self.dir / "no" / "x.db"), NOT_FOUND, "no folder", self.dir / "no")
        self.assert_refused(self.start(read_only="true"), NOT_FOUND, self.db)
        self.db.write_text("my shopping list")
        self.assert_refused(self.start(), FAILED, self.db)
        self.assertEqual(self.db.read_text(), "my shopping list")

    def test_a_newer_database(self):
        self.assertEqual(self.serve().stop(), 0)
        with sqlite3.connect(self.db) as connection:
            connection.execute("UPDATE MLMDEnv SET schema_version = 11")
        self.assert_refused(self.start(), FAILED, self.db, "11")

    def test_a_locked_database(self):
        with sqlite3.connect(self.db, isolation_level=None) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            self.assert_refused(self.start(), CONFLICT, self.db)


class OneOwnerTest(served.ServedWorkspace):

    def start(self, **flags):
        return self.run_command("serve", **{"db": self.db, "grpc_port": 0, **flags})

    def test_a_second_server_is_told_who_serves_the_file(self):
        server = self.serve()
        who = "process %d on host %s" % (server.process.pid, socket.gethostname())
        self.assert_refused(self.start(), FAILED, self.db, "served already", who, server.grpc, "since 20")
        self.assertEqual(server.call("PutArtifactType", OPEN_TYPE)[0], 200)

    def test_the_next_server_may_serve_it_however_the_first_ended(self):
        server = self.serve()
        server.process.kill()
        server.process.wait()
        self.assertEqual(self.serve().stop(), 0)
        self.assertEqual(self.serve().stop(), 0)

    def test_readers_and_steps_go_beside_it(self):
        server = self.serve()
        self.assertEqual(server.call("PutArtifactType", OPEN_TYPE)[0], 200)
        reader = self.serve(read_only="true")
        self.assertEqual(reader.call("GetArtifactType", {"typeName": "Model"})[0], 200)
        self.ok(self.run_command("example-gen", pipeline="penguin", pipeline_root=self.root, input=workspace.PENGUINS,
                                 null_value="NA", db=self.db, run_id="r1"))
        status, answer = server.call("GetArtifacts", {})
        self.assertEqual((status, len(answer["artifacts"])), (200, 1))


class FilesGoneTest(served.ServedWorkspace):

    def assert_unusable(self, server, *words):
        status, answer = server.call("PutArtifactType", {"artifactType": {"name": "Other"}})
        self.assertEqual((status, answer["status"]), (503, "UNAVAILABLE"))
        for word in words:
            self.assertIn(str(word), answer["message"])
        self.assertEqual(server.curl("/readyz")[0], 503)
        self.assertEqual(server.curl("/healthz")[0], 200)

    def test_a_file_that_is_deleted(self):
        for suffix in ("", "-wal", "-shm"):
            server = self.serve()
            self.assertEqual(server.call("PutArtifactType", OPEN_TYPE)[0], 200)
            gone = self.db.with_name(self.db.name + suffix)
            gone.unlink()
            self.assert_unusable(server, gone, "was deleted", "start this process again")
            server.close()
            for each in ("", "-wal", "-shm"):
                self.db.with_name(self.db.name + each).unlink(missing_ok=True)

    def test_a_file_that_is_replaced_and_put_back(self):
        server = self.serve()
        self.assertEqual(server.call("PutArtifactType", OPEN_TYPE)[0], 200)
        aside = self.dir / "aside.db"
        self.db.rename(aside)
        self.db.write_bytes(aside.read_bytes())
        self.assert_unusable(server, self.db, "was replaced")
        aside.rename(self.db)
        self.assertEqual(server.call("PutArtifactType", {"artifactType": {"name": "Other"}})[0], 200)


class EndTest(served.ServedWorkspace):

    def test_both_signals_end_it_well(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.serve()
            self.assertEqual(server.call("PutArtifactType", OPEN_TYPE)[0], 200)
            server.process.send_signal(number)
            self.assertEqual(server.process.wait(timeout=60), 0)

    def hold_a_request(self, server):
        """A connection on which a call has begun and waits for the last byte of its body."""
        connection = socket.create_connection(server.addresses["http"].split(":"))
        self.addCleanup(connection.close)
        connection.sendall(b"POST /api/v1/GetArtifactTypes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                           b"Content-Length: 2\r\n\r\n{")
        return connection

    def test_it_waits_for_what_has_begun(self):
        server = self.serve()
        connection = self.hold_a_request(server)
        # Connections are taken in turn: when this one is answered, the other is being read.
        self.assertEqual(server.curl("/healthz")[0], 200)
        server.process.terminate()
        connection.sendall(b"}")
        answer = connection.makefile("rb").read()
        self.assertRegex(answer, rb"^HTTP/1.1 (200|503) ")
        self.assertEqual(server.process.wait(timeout=60), 0)

    def test_a_second_signal_ends_it_at_once(self):
        server = self.serve()
        self.hold_a_request(server)
        self.assertEqual(server.curl("/healthz")[0], 200)
        while server.process.poll() is None:
            server.process.terminate()
            try:
                server.process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                pass
        self.assertEqual(server.process.returncode, -signal.SIGTERM)


class HttpTest(served.ServedWorkspace):

    def assert_error(self, reply, http_status, status, *fragments):
        self.assertEqual(reply[0], http_status, reply)
        error = json.loads(reply[1])
        self.assertEqual(sorted(error), ["code", "message", "status"])
        self.assertEqual(error["status"], status)
        for fragment in fragments:
            self.assertIn(fragment, error["message"])

    def test_requests_that_are_wrong(self):
        server = self.serve()
        call = "/api/v1/GetArtifacts"
        self.assert_error(server.curl("/api/v1/GetArtifact", data="{}"), 404, "NOT_FOUND", "did you mean 'GetArtifacts'")
        self.assert_error(server.curl("/nothing"), 404, "NOT_FOUND", "/nothing", "openapi.json")
        for verb in ("GET", "PUT", "PATCH", "DELETE", "OPTIONS"):
            self.assert_error(server.curl(call, "--request", verb), 405, "UNIMPLEMENTED", "POST", verb)
        self.assert_error(server.curl(call, "--data", "{}"), 415, "INVALID_ARGUMENT", "application/json")
        self.assert_error(server.curl(call, "--form", "a=b"), 415, "INVALID_ARGUMENT", "application/json")
        self.assert_error(server.curl(call, data='{"options":\n{"maxResultSize" 1}}'), 400, "INVALID_ARGUMENT", "line 2")
        self.assert_error(server.curl(call, data="[]"), 400, "INVALID_ARGUMENT", "JSON object")
        self.assert_error(server.curl(call, data='{"options": {"maxSize": 1}}'), 400, "INVALID_ARGUMENT", "maxSize")
        self.assert_error(server.curl(call, data='{"options": {"maxResultSize": "x"}}'), 400, "INVALID_ARGUMENT",
                          "options.max_result_size")

    def test_names_that_are_not_the_servers(self):
        """A page whose name points at this machine sends that name; and pages of others name themselves."""
        server = self.serve(http_allowed_host="metadata.test")
        call = "/api/v1/PutArtifactType"
        body = json.dumps(OPEN_TYPE)
        for header, http_status in (("Host: evil.example", 421), ("Origin: http://evil.example", 403),
                                    ("Origin: null", 403)):
            self.assert_error(server.curl(call, "--header", header, data=body), http_status, "PERMISSION_DENIED")
        self.assertEqual(server.call("GetArtifactTypes", {"typeName": "Model"})[1].get("artifactTypes", [])[9:], [])
        for header in ("Host: metadata.test:80", "Host: localhost", "Origin: " + server.http):
            self.assertEqual(server.curl(call, "--header", header, data=body)[0], 200, header)
        self.assertEqual(server.curl("/healthz", "--header", "Host: evil.example")[0], 200)

    def test_bodies_that_are_encoded_or_hostile(self):
        server = self.serve()
        call = "/api/v1/GetArtifactsByURI"
        self.assert_error(server.curl(call, "--header", "Content-Encoding: gzip", data="{}"), 415, "INVALID_ARGUMENT")
        for body, fragment in (("[1e999]", "overflow"), ("[" * 1000, "100 levels"), ("{}," * 600000, "500000 values"),
                               ('{"uris": ["\\ud800"]}', "surrogate")):
            self.assert_error(server.curl(call, data=body), 400, "INVALID_ARGUMENT", fragment)
        self.assertIn("rekindle_requests_in_flight 0\n", server.curl("/metrics")[1])
        status, answer = server.curl("/api/v1/openapi.json", "--header", "Range: bytes=0-1,0-1")
        self.assertEqual(status, 200)
        self.assertGreater(len(json.loads(answer)["paths"]), 52)

    def test_a_body_that_is_too_large(self):
        server = self.serve(max_message_bytes=100000)
        body = json.dumps({"uris": ["x" * 200000]})
        for announce in ((), ("--header", "Transfer-Encoding: chunked")):
            reply = server.curl("/api/v1/GetArtifactsByURI", *announce, data=body)
            self.assert_error(reply, 413, "RESOURCE_EXHAUSTED", "100000 bytes")
        self.assertEqual(server.call("GetArtifactsByURI", {"uris": ["x"]}), (200, {}))

    def test_an_answer_that_is_too_large(self):
        server = self.serve(max_message_bytes=100000)
        self.assertEqual(server.call("PutArtifactType", OPEN_TYPE)[0], 200)
        artifacts = [{"type": "Model", "typeId": 10, "uri": "x" * 60000}]
        for _ in range(2):
            self.assertEqual(server.call("PutArtifacts", {"artifacts": artifacts})[0], 200)
        reply = server.curl("/api/v1/GetArtifacts", data="{}")
        self.assert_error(reply, 429, "RESOURCE_EXHAUSTED", "100000", "fewer")

    def test_steps(self):
        server = self.serve()
        claim = {"externalId": "r/n", "executionType": {"name": "T"}, "leaseMillis": 60000, "owner": "me"}
        [store] = server.call("Identify", {})[1].values()
        self.assertEqual(server.call("Claim", claim),
                         (200, {"executionId": "1", "token": "1", "attempt": "1", "storeId": store}))
        self.assert_error(server.curl("/api/v1/Claim", data=json.dumps(claim)), 400, "FAILED_PRECONDITION")

    def test_health(self):
        server = self.serve()
        self.assertEqual(server.curl("/healthz"), (200, "ok\n"))
        self.assertEqual(server.curl("/readyz"), (200, "ok\n"))

    def test_many_at_once(self):
        """More connections than the server has threads are all served."""
        server = self.serve()
        words = ["curl", "--silent", "--json", "{}", server.http + "/api/v1/GetArtifacts"]
        clients = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(100)]
        self.assertEqual([client.communicate(timeout=60)[0] for client in clients], [b"{}"] * 100)


if __name__ == "__main__":
    workspace.main()

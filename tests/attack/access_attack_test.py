"""Attacks on the gate: those who have no token, make them up, or send what is none."""

import json
import random
import socket

import attack_case
import grpc

SEED = 7
WRITE = "/ml_metadata.MetadataStoreService/PutArtifacts"
LOAD = "/rekindle.v1.MaintenanceService/Load"
EXPORT = "/rekindle.v1.MaintenanceService/Export"
UNKNOWN = grpc.StatusCode.UNAUTHENTICATED


class AccessAttackTest(attack_case.AttackCase):

    def setUp(self):
        super().setUp()
        self.token_file, self.log = self.dir / "tokens", self.dir / "audit.jsonl"
        self.token_file.touch(0o600)
        self.tokens = {role: self.grant(role) for role in ("step", "admin")}
        self.random = random.Random(SEED)

    def grant(self, role):
        secret = self.dir / (role + ".token")
        line = self.ok(self.run_command("token", "new", name=role, role=role, out=secret)).stdout
        with self.token_file.open("a") as file:
            file.write(line)
        return secret.read_text().strip()

    def guarded(self):
        return self.attacked(token=self.tokens["step"], token_file=self.token_file, audit_log=self.log)

    def records(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def code(self, channel, method, metadata, request=b"", timeout=20):
        try:
            channel.unary_unary(method)(request, timeout=timeout, metadata=metadata)
        except grpc.RpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    def channel(self, server):
        return self.hold(grpc.insecure_channel(server.grpc, options=[("grpc.use_local_subchannel_pool", 1)]))

    def made_up(self):
        return "rk_" + "".join(self.random.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", k=43))

    def test_ten_thousand_tokens_that_are_made_up(self):
        with self.guarded() as server:
            channel = self.channel(server)
            call = channel.unary_unary(WRITE)
            for _ in range(100):
                batch = [call.future(b"", timeout=20, metadata=[("authorization", "Bearer " + self.made_up())]) for _ in range(100)]
                self.assertEqual({one.code() for one in batch}, {UNKNOWN})
            self.assertIn("rekindle_calls_unauthenticated_total 10000\n", server.curl("/metrics")[1])
        # They do not fill the disk, and none is forgotten.
        refused = [record for record in self.records() if record["outcome"] == "UNAUTHENTICATED"]
        self.assertLess(len(refused), 5000)
        self.assertLess(self.log.stat().st_size, 1 << 20)

    def test_what_is_nearly_a_token_is_none(self):
        admin = self.tokens["admin"]
        lines = self.token_file.read_text()
        shown = [
            "", "Bearer", "Bearer ", "Bearer  ", admin, "Basic " + admin, "Bearer " + admin[:-1], "Bearer " + admin + "A",
            "Bearer " + admin.swapcase(), "Bearer " + admin + " x", "Bearer x " + admin, "Bearer " + admin + "," + admin,
            "Bearer " + lines.split()[2], "Bearer admin", "Bearer *", "Bearer " + "x" * 8000, "Bearer " + admin * 80]
        with self.guarded() as server:
            channel = self.channel(server)
            for header in shown:
                self.assertEqual(self.code(channel, WRITE, [("authorization", header)]), UNKNOWN, header[:80])
                status, _ = server.curl("/api/v1/PutArtifacts", "--header", "Authorization: " + header, data="{}")
                self.assertEqual(status, 401, header[:80])
            # Two that are good are none.
            twice = 2 * [("authorization", "Bearer " + admin)]
            self.assertEqual(self.code(channel, WRITE, twice), UNKNOWN)
            self.assertEqual(self.code(channel, WRITE, twice[:1]), grpc.StatusCode.OK)

    def test_garbage_in_the_place_of_a_token(self):
        with self.guarded() as server:
            host, _, port = server.http.removeprefix("http://").rpartition(":")
            for length in (1, 40, 400, 4000, 14000):
                garbage = bytes(self.random.choices([byte for byte in range(256) if byte not in (0, 10, 13)], k=length))
                with socket.create_connection((host, int(port)), timeout=20) as connection:
                    connection.sendall(b"POST /api/v1/PutArtifacts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                       b"Content-Length: 2\r\nConnection: close\r\nAuthorization: Bearer " + garbage + b"\r\n\r\n{}")
                    answer = connection.makefile("rb").readline()
                self.assertIn(answer.split()[1], (b"400", b"401", b"431"), length)
            self.assertEqual(self.code(self.channel(server), WRITE, [("authorization", "Bearer " + "x" * 100000)]),
                             grpc.StatusCode.RESOURCE_EXHAUSTED)

    def test_bodies_of_strangers_are_not_waited_for(self):
        with self.guarded() as server:
            host, _, port = server.http.removeprefix("http://").rpartition(":")
            for path in 20 * [b"/api/v1/PutArtifacts", b"/api/v1/openapi.json", b"/api/v1/Nothing"]:
                connection = self.hold(socket.create_connection((host, int(port)), timeout=20))
                connection.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                   b"Content-Length: 60000000\r\n\r\n{")
                # Answered before it has sent more.
                self.assertIn(connection.makefile("rb").readline().split()[1], (b"401", b"404"), path)

    def test_streams_of_strangers_are_refused_before_they_send(self):
        with self.guarded() as server:
            channel = self.channel(server)

            def endless():
                while True:
                    yield b"\x0a\xff\x1f" + 4095 * b"x"

            for _ in range(20):
                with self.assertRaises(grpc.RpcError) as caught:
                    channel.stream_unary(LOAD)(endless(), timeout=20)
                self.assertEqual(caught.exception.code(), UNKNOWN)
                with self.assertRaises(grpc.RpcError) as caught:
                    next(channel.unary_stream(EXPORT)(b"", timeout=20))
                self.assertEqual(caught.exception.code(), UNKNOWN)

    def test_nothing_that_is_sent_makes_a_line_of_the_audit_log(self):
        forged = "a\n" + json.dumps({"who": "admin", "call": "Delete", "outcome": "OK"}) + "\r\n\x1b[2J\u2028\u202e\"'\\"
        with self.guarded() as server:
            authorization = ("--header", "Authorization: Bearer " + self.tokens["admin"])
            put = json.dumps({"artifactType": {"name": forged}})
            self.assertEqual(server.curl("/api/v1/PutArtifactType", *authorization, data=put)[0], 200)
            claim = json.dumps({"externalId": forged, "owner": forged, "executionType": {"name": forged}, "leaseMillis": 1})
            self.assertEqual(server.curl("/api/v1/Claim", *authorization, data=claim)[0], 200)
        text = self.log.read_bytes()
        self.assertTrue(all(0x20 <= byte < 0x7f for byte in text.replace(b"\n", b"")))
        records = self.records()
        self.assertNotIn("Delete", {record["call"] for record in records})
        self.assertEqual([record["what"]["artifact_type.name"] for record in records if record["call"] == "PutArtifactType"], [forged])

    def test_a_token_that_ends_is_worth_nothing_from_then_on(self):
        with self.guarded() as server:
            channel = self.channel(server)
            admin = [("authorization", "Bearer " + self.tokens["admin"])]
            self.assertEqual(self.code(channel, WRITE, admin), grpc.StatusCode.OK)
            lines = self.token_file.read_text().splitlines(keepends=True)
            # Replaced in one piece, and then spoilt: what it said last stays in force.
            fresh = self.token_file.with_suffix(".new")
            fresh.touch(0o600)
            fresh.write_text("".join(line for line in lines if not line.startswith("admin ")))
            fresh.rename(self.token_file)
            self.wait_until(lambda: self.code(channel, WRITE, admin) == UNKNOWN)
            with self.token_file.open("a") as file:
                file.write("admin admin sha256:\n")
            self.wait_until(lambda: "rekindle_token_file_in_force 0\n" in server.curl("/metrics")[1] or
                            self.code(channel, WRITE, admin) != UNKNOWN)
            self.assertEqual(self.code(channel, WRITE, admin), UNKNOWN)


if __name__ == "__main__":
    attack_case.main()

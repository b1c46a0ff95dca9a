"""Attacks on the HTTP port."""

import concurrent.futures
import gzip
import json
import random
import socket
import ssl

import attack_case
import authority

MB = 1 << 20
HEAD = b"POST /api/v1/GetArtifactsByURI HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PUT = HEAD.replace(b"GetArtifactsByURI", b"PutArtifacts")
# More than the server takes of anything before it says no.
TOO_MANY_BYTES = 300 * MB


def with_length(head, size):
    return head + b"Content-Length: %d\r\n\r\n" % size


class HttpAttackCase(attack_case.AttackCase):

    def connect(self, server, source="127.0.0.1"):
        host, _, port = server.addresses["http"].rpartition(":")
        return self.hold(socket.create_connection((host, int(port)), timeout=30, source_address=(source, 0)))

    def send(self, connection, data):
        """False if the server wants no more."""
        try:
            connection.sendall(data)
        except OSError:
            return False
        return True

    def answer(self, connection):
        """What the server says until it closes; b"" if nothing."""
        parts = []
        try:
            while parts[-1:] != [b""]:
                parts.append(connection.recv(MB))
        except OSError:
            pass
        return b"".join(parts)

    def status(self, connection):
        words = self.answer(connection).split(b" ", 2)
        return int(words[1]) if len(words) > 1 else None

    def post(self, server, head, body):
        connection = self.connect(server)
        self.send(connection, with_length(head + b"Connection: close\r\n", len(body)))
        self.send(connection, body)
        return self.status(connection)

    def at_once(self, count, work):
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(lambda _: work(), range(count)))

    def pour(self, connection, data):
        """Sends the same again and again; how many bytes were taken."""
        taken = 0
        while taken < TOO_MANY_BYTES and self.send(connection, data):
            taken += len(data)
        return taken


class BeforeARequestIsCompleteTest(HttpAttackCase):

    def test_heads_without_end(self):
        with self.attacked() as server:
            for begin, more in ((b"GET /", b"a" * MB), (b"GET / HTTP/1.1\r\nX: ", b"a" * MB),
                                (b"GET / HTTP/1.1\r\n", b"X: y\r\n" * (MB // 6)), (b"", b"\r\n" * (MB // 2))):
                connection = self.connect(server)
                self.send(connection, begin)
                self.assertLess(self.pour(connection, more), TOO_MANY_BYTES, begin)

    def test_bodies_without_end(self):
        with self.attacked() as server:
            self.assertEqual(self.status_of_announced(server, 2 << 30), 413)
            chunk = b"100000\r\n" + b" " * MB + b"\r\n"
            chunked = self.connect(server)
            self.send(chunked, HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            self.assertLess(self.pour(chunked, chunk), TOO_MANY_BYTES)
            announced = self.connect(server)
            self.send(announced, with_length(HEAD, 2 << 30))
            self.assertLess(self.pour(announced, b" " * MB), TOO_MANY_BYTES)

    def status_of_announced(self, server, size):
        connection = self.connect(server)
        self.send(connection, with_length(HEAD, size))
        return self.status(connection)

    def test_bodies_that_are_held(self):
        """Sixteen times 60 MB of which the last byte never comes."""
        with self.attacked() as server:
            def hold():
                connection = self.connect(server, "127.0.0.2")
                self.send(connection, with_length(HEAD, 60 * MB))
                self.send(connection, b" " * (60 * MB - 1))
            self.at_once(16, hold)

    def test_clients_that_drip(self):
        """More of them than there may be, all from the address of the others, for as long as they like."""
        with self.attacked() as server:
            connections = []
            for i in range(600):
                connections.append(self.connect(server))
                self.send(connections[-1], (b"GET / HTTP/1.1\r\nX: ", b"", with_length(HEAD, 9))[i % 3])
            for _ in range(3):
                for connection in connections:
                    self.send(connection, b"a")
                self.assert_healthy(server)

    def test_more_connections_than_descriptors(self):
        with self.attacked(limits={"nofile": 256}) as server:
            for i in range(600):
                self.connect(server, "127.0.0.%d" % (2 + i % 8))

    def test_garbage(self):
        chance = random.Random(19)
        pieces = [b"GET / HTTP/1.1\r\n", b"POST /api/v1/GetArtifacts HTTP/1.1\r\n", b"Host: localhost\r\n", b"\r\n", b"\n", b"\0",
                  b"Content-Length: 5\r\n", b"Content-Length: -5\r\n", b"Transfer-Encoding: chunked\r\n", b"5\r\nabcde\r\n",
                  b"0\r\n\r\n", b"Expect: 100-continue\r\n", b"Content-Type: application/json\r\n", b"{}", b"PRI * HTTP/2.0\r\n\r\n",
                  b"\x16\x03\x01\x02\x00\x01", b"Connection: close\r\n", b" folded\r\n"]
        with self.attacked() as server:
            for _ in range(1500):
                connection = self.connect(server)
                parts = [chance.choice(pieces) if chance.random() < 0.9 else chance.randbytes(20)
                         for _ in range(chance.randint(1, 12))]
                self.send(connection, b"".join(parts))
                connection.close()


class CompleteRequestTest(HttpAttackCase):

    def test_json_that_explodes(self):
        """A byte of it can cost a hundred of memory."""
        with self.attacked() as server:
            for head, body in ((HEAD, b"[" * (60 * MB)), (HEAD, b'{"a":' * (12 * MB)), (PUT, b'{"artifacts":[' + b"{}," * (20 * MB)),
                               (HEAD, b'{"uris":[' + b'"",' * (20 * MB))):
                self.assertLessEqual(set(self.at_once(3, lambda: self.post(server, head, body))), {400, 503, None})
            for body in (b"[1e999]", b'{"uris":["\\ud800"]}', b"[" * 100000):
                self.assertEqual(self.post(server, HEAD, body), 400)
            # The bystander calls meanwhile: a call that was never counted out shows at every moment.
            self.assertTrue(any("rekindle_requests_in_flight 0\n" in server.curl("/metrics")[1] for _ in range(100)))

    def test_compressed_bodies(self):
        bomb = gzip.compress(b" " * (256 * MB), 1)
        with self.attacked() as server:
            statuses = self.at_once(4, lambda: self.post(server, HEAD + b"Content-Encoding: gzip\r\n", bomb))
            self.assertEqual(statuses, [415] * 4)

    def test_ranges_of_an_answer(self):
        with self.attacked() as server:
            connection = self.connect(server)
            ranges = b",".join([b"0-"] * 2000)
            self.send(connection, b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: bytes="
                      + ranges + b"\r\n\r\n")
            self.assertLess(len(self.answer(connection)), MB)

    def test_answers_that_nobody_reads(self):
        """A large one on each of a hundred connections."""
        with self.attacked(prepare=self.put_ten_megabytes) as server:
            for _ in range(100):
                connection = self.connect(server, "127.0.0.2")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                self.send(connection, with_length(HEAD.replace(b"GetArtifactsByURI", b"GetArtifacts"), 2) + b"{}")

    def put_ten_megabytes(self, server):
        self.assertEqual(server.call("PutArtifactType", {"artifactType": {"name": "Large"}}), (200, {"typeId": "10"}))
        artifacts = [{"typeId": 10, "uri": "x" * MB} for _ in range(10)]
        self.assertEqual(server.call("PutArtifacts", {"artifacts": artifacts})[0], 200)

    def test_requests_without_end_on_one_connection(self):
        with self.attacked() as server:
            connection = self.connect(server)
            connection.settimeout(1)
            request = with_length(HEAD, 2) + b"{}"
            # Until neither end takes more, since nobody reads the answers.
            self.pour(connection, request * 10000)

    def test_other_names_and_pages(self):
        with self.attacked() as server:
            body = json.dumps({"artifactType": {"name": "Evil"}})
            for header, expected in (("Host: evil.example", 421), ("Origin: http://evil.example", 403)):
                status, _ = server.curl("/api/v1/PutArtifactType", "--header", header, data=body)
                self.assertEqual(status, expected)
            self.assertEqual(server.call("GetArtifactType", {"typeName": "Evil"})[0], 404)


class TlsAttackTest(HttpAttackCase):

    def test_handshakes_that_do_not_end_and_certificates_of_others(self):
        ours, theirs = (authority.Authority(self.dir, name) for name in ("ours", "theirs"))
        certificate, key = ours.sign("server")
        server = self.serve(tls_cert=certificate, tls_key=key, tls_client_ca=ours.certificate, grace="%ds" % attack_case.GRACE)
        server.curl_options = ["--cacert", str(ours.certificate)]
        for i in range(600):
            self.send(self.connect(server), (b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n", b"")[i % 3])
        self.assert_healthy(server)
        self.assertEqual(server.call("GetArtifacts", {})[0], 401)
        context = ssl.create_default_context(cafile=ours.certificate)
        context.load_cert_chain(*theirs.sign("client"))
        with self.assertRaises(OSError), context.wrap_socket(self.connect(server), server_hostname="localhost") as foreign:
            foreign.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            raise OSError("closed") if foreign.recv(100) == b"" else AssertionError("it was served")
        self.assert_healthy(server)
        self.assert_memory(server)
        self.assert_ends(server)


if __name__ == "__main__":
    attack_case.main()

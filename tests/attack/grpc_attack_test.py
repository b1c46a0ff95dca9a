"""Attacks on the gRPC port."""

import contextlib
import json
import random
import select
import socket
import struct
import threading

import attack_case
import grpc
from authority import Authority

SERVICE = "/ml_metadata.MetadataStoreService/"
MAINTENANCE = "/rekindle.v1.MaintenanceService/"
READ = SERVICE + "GetArtifactTypes"
OK, INVALID, EXHAUSTED = grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED


def varint(number):
    encoded = b""
    while number > 127:
        encoded += bytes([number & 127 | 128])
        number >>= 7
    return encoded + bytes([number])


def field(number, value):
    """A length-delimited field of a message."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def frame(kind, flags, stream, payload=b""):
    """A frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


DATA, HEADERS, RESET, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def header(name, value):
    """Of a block of headers, as it is, without an entry in any table."""
    return b"\x00" + varint(len(name)) + name + varint(len(value)) + value


def call_headers(path, *more):
    return b"".join(header(*each) for each in (
        (b":method", b"POST"), (b":scheme", b"http"), (b":path", path.encode()), (b":authority", b"x"),
        (b"te", b"trailers"), (b"content-type", b"application/grpc"), *more))


def unary(channel, method=READ, request=b"", timeout=20):
    """The code that a call ends with."""
    try:
        channel.unary_unary(method)(request, timeout=timeout)
    except grpc.RpcError as error:
        return error.code()
    return OK


def received(connection):
    """What has come, without waiting for more."""
    with contextlib.suppress(OSError):
        if select.select([connection], [], [], 0)[0]:
            return connection.recv(1 << 20)
    return b""


class Sender:
    """Sends a message as its server allows, and never ends it."""

    def __init__(self, connection, path, size):
        self.connection, self.left, self.sent = connection, b"", 0
        self.initial = self.window = self.stream_window = 65535
        connection.sendall(PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, 4, 1, call_headers(path)))
        connection.settimeout(0.2)
        self.send(b"\0" + struct.pack(">I", size))

    def send(self, data):
        try:
            self.connection.sendall(frame(DATA, 0, 1, data))
        except OSError:  # the server takes no more
            self.window = -1 << 40
        self.window -= len(data)
        self.stream_window -= len(data)
        self.sent += len(data)

    def send_some(self):
        self.look()
        room = min(self.window, self.stream_window, 1 << 14)
        if room > 0:
            self.send(room * b"\0")

    def look(self):
        """Reads what the server has sent: windows, settings and pings."""
        self.left += received(self.connection)
        while len(self.left) >= 9:
            size, (kind, flags), stream = int.from_bytes(self.left[:3], "big"), self.left[3:5], int.from_bytes(self.left[5:9], "big")
            if len(self.left) < 9 + size:
                return
            self.take(kind, flags, stream, self.left[9:9 + size])
            self.left = self.left[9 + size:]

    def take(self, kind, flags, stream, payload):
        with contextlib.suppress(OSError):
            if kind == WINDOW_UPDATE and stream == 0:
                self.window += int.from_bytes(payload, "big")
            elif kind == WINDOW_UPDATE:
                self.stream_window += int.from_bytes(payload, "big")
            elif kind == PING and not flags:
                self.connection.sendall(frame(PING, 1, 0, payload))
            elif kind == SETTINGS and not flags:
                for name, value in struct.iter_unpack(">HI", payload):
                    if name == 4:  # the window that streams begin with
                        self.stream_window += value - self.initial
                        self.initial = value
                self.connection.sendall(frame(SETTINGS, 1, 0))


class GrpcAttackCase(attack_case.AttackCase):

    def connect(self, server, source="127.0.0.2"):
        """A TCP connection from another address than that of other clients."""
        host, _, port = server.grpc.rpartition(":")
        return self.hold(socket.create_connection((host, int(port)), timeout=10, source_address=(source, 0)))

    def channel(self, server, *options):
        """A connection of its own."""
        options = [("grpc.use_local_subchannel_pool", 1), *options]
        return self.hold(grpc.insecure_channel(server.grpc, options=options))

    def was_closed(self, connection):
        connection.settimeout(0)
        try:
            return connection.recv(1 << 16) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def metric(self, server, name):
        text = server.curl("/metrics")[1]
        return float(text.partition("\n%s " % name)[2].split()[0])


class ConnectionsTest(GrpcAttackCase):

    def test_more_connections_than_descriptors(self):
        with self.attacked(limits={"nofile": 256}) as server:
            held = [self.connect(server) for _ in range(400)]
            self.wait_until(lambda: self.metric(server, "rekindle_grpc_connections_refused_total") >= 300)
            self.assertEqual(unary(self.channel(server)), OK)
            # The others, too, come when they are gone.
            for connection in held:
                connection.close()
            self.wait_until(lambda: self.metric(server, "rekindle_grpc_connections") < 10)
            again = [self.connect(server) for _ in range(10)]
            self.assertEqual(unary(self.channel(server)), OK)
            self.assertEqual([self.was_closed(each) for each in again], 10 * [False])

    def test_connections_from_everywhere(self):
        with self.attacked(limits={"nofile": 256}) as server:
            for client in range(400):
                self.connect(server, "127.0.1.%d" % (client // 2))
            self.wait_until(lambda: self.metric(server, "rekindle_grpc_connections_refused_total") >= 300)


class StreamsTest(GrpcAttackCase):

    def fill(self, server, artifacts=20000, at_once=5000):
        type_id = server.call("PutArtifactType", {"artifactType": {"name": "T"}})[1]["typeId"]
        for first in range(0, artifacts, at_once):
            put = {"artifacts": [{"typeId": type_id, "uri": "/x/%d" % (first + i), "customProperties": {
                "p": {"stringValue": 100 * "v"}}} for i in range(at_once)]}
            self.assertEqual(server.curl("/api/v1/PutArtifacts", data=json.dumps(put))[0], 200)

    def stall(self, server, method):
        """A stream that is read once and no more."""
        channel = self.channel(server, ("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 1024),
                               ("grpc.max_receive_message_length", -1))
        stream = channel.unary_stream(MAINTENANCE + method)(b"")
        with contextlib.suppress(grpc.RpcError):
            next(stream)
        return stream

    def codes(self, calls):
        return [call.code() for call in calls]

    def test_copies_that_are_not_taken(self):
        with self.attacked(prepare=self.fill, max_stall_time="2s") as server:
            streams = [self.stall(server, method) for method in 8 * ("Export", "Backup")]
            # One address has half the places; who is refused knows at once.
            self.assertEqual(sum(stream.done() for stream in streams), 12)
            self.assertEqual(self.codes(stream for stream in streams if stream.done()), 12 * [EXHAUSTED])
            self.assertEqual(unary(self.channel(server)), OK)
            # The others lose their places in time, and what they have put aside.
            self.wait_until(lambda: self.metric(server, "rekindle_grpc_calls_stalled_total") == 4)
            self.wait_until(lambda: self.metric(server, "rekindle_spool_bytes") == 0)
            self.assertEqual(self.run_command("metadata", "export", metadata=server.url).returncode, 0)

    def load(self, channel, parts):
        return channel.stream_unary(MAINTENANCE + "Load").future(parts)

    def test_loads_that_send_nothing(self):
        never = threading.Event()
        self.addCleanup(never.set)

        def silence():
            never.wait(60)
            yield from ()

        with self.attacked(max_stall_time="2s") as server:
            loads = []
            for _ in range(4):
                channel = self.channel(server)
                loads += [self.load(channel, silence()) for _ in range(70)]
            self.wait_until(lambda: sum(load.done() for load in loads) >= 276)
            self.assertEqual(unary(self.channel(server)), OK)
            self.wait_until(lambda: all(load.done() for load in loads))
            self.assertEqual(self.codes(loads).count(EXHAUSTED), 276)

    def test_a_load_without_an_end(self):
        part = field(1, (1 << 20) * b"x")
        with self.attacked(max_spool_bytes=32 << 20) as server:
            channels = [self.channel(server) for _ in range(4)]
            loads = [self.load(channel, (part for _ in range(1 << 30))) for channel in channels]
            self.wait_until(lambda: all(load.done() for load in loads))
            self.assertEqual(self.codes(loads), 4 * [EXHAUSTED])
            self.assertIn("--max-spool-bytes", loads[0].details() + loads[1].details() + loads[2].details() + loads[3].details())
            self.wait_until(lambda: self.metric(server, "rekindle_spool_bytes") == 0)


class MessagesTest(GrpcAttackCase):

    def test_messages_that_grow_when_they_are_read(self):
        bomb = (30 << 20) * b"\x0a\x00"  # that many empty artifacts
        with self.attacked() as server:
            channels = [self.channel(server) for _ in range(3)]
            calls = [channel.unary_unary(SERVICE + "PutArtifacts").future(bomb) for channel in channels]
            self.assertEqual([call.code() for call in calls], 3 * [EXHAUSTED])

    def test_messages_that_are_too_large(self):
        with self.attacked() as server:
            self.assertEqual(unary(self.channel(server), SERVICE + "PutArtifacts", field(1, (100 << 20) * b"\0")), EXHAUSTED)

    def test_messages_that_do_not_end(self):
        """Many connections that each announce 60 MB and send a part of it."""
        # gRPC ends connections until the rest fits; idle ones, which come back, and now and then a call.
        self.tolerated = "Buffers full"
        with self.attacked() as server:
            senders = [Sender(self.connect(server), SERVICE + "PutArtifacts", 60 << 20) for _ in range(40)]
            for _ in range(400):
                for sender in senders:
                    sender.send_some()
            self.say("%d MB were sent" % (sum(sender.sent for sender in senders) >> 20))

    def test_compressed_messages(self):
        with self.attacked() as server:
            channel = self.channel(server)
            for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
                with self.assertRaises(grpc.RpcError) as refused:
                    channel.unary_unary(SERVICE + "PutArtifacts")(
                        field(1, (512 << 20) * b"\0"), compression=compression, timeout=30)
                self.assertEqual(refused.exception.code(), grpc.StatusCode.UNIMPLEMENTED)

    def test_messages_that_are_nested_or_no_messages(self):
        deep = b""
        for _ in range(20000):
            deep = field(5, deep)
        chance = random.Random(1)
        with self.attacked() as server:
            channel = self.channel(server)
            self.assertEqual(unary(channel, SERVICE + "PutArtifacts", deep), OK)  # a field nobody knows
            # A struct in a property, in itself: artifacts, custom_properties, value, struct_value, fields, value ...
            struct_value = b""
            for _ in range(5000):
                struct_value = field(5, field(1, field(1, b"k") + field(2, struct_value)))
            artifact = field(1, field(6, field(1, b"p") + field(2, field(4, struct_value))))
            self.assertIn(unary(channel, SERVICE + "PutArtifacts", artifact), (OK, INVALID))
            for _ in range(300):
                for method in ("PutArtifacts", "PutExecution", "GetArtifacts", "PutLineageSubgraph"):
                    unary(channel, SERVICE + method, chance.randbytes(chance.randint(1, 300)))

    def test_filters_and_page_tokens(self):
        def query(filter_text=b"", token=b""):
            return field(1, field(4, filter_text) + field(3, token))  # options: filter_query, next_page_token

        with self.attacked() as server:
            channel = self.channel(server)
            for bomb in (10000 * b"(" + b"id = 1" + 10000 * b")", b" AND ".join(20000 * [b"id = 1"]),
                         b"uri LIKE '" + 30000 * b"%a" + b"'", b"NOT " * 30000 + b"id = 1"):
                self.assertNotEqual(unary(channel, SERVICE + "GetArtifacts", query(bomb)), grpc.StatusCode.DEADLINE_EXCEEDED)
            chance = random.Random(2)
            for _ in range(200):
                unary(channel, SERVICE + "GetArtifacts", query(token=chance.randbytes(chance.randint(1, 400))))


class FramesTest(GrpcAttackCase):

    def test_frames_that_are_none(self):
        chance = random.Random(3)
        with self.attacked() as server:
            for _ in range(500):
                sent = PREFACE + frame(SETTINGS, 0, 0)
                for _ in range(chance.randint(1, 8)):
                    sent += frame(chance.choice((*range(11), 255)), chance.randrange(256),
                                  chance.choice((0, 1, 1, 3, 5, 2 ** 31 - 1)), chance.randbytes(chance.randint(0, 200)))
                connection = self.connect(server)
                with contextlib.suppress(OSError):
                    connection.sendall(sent if chance.random() < 0.8 else chance.randbytes(500))
                connection.close()

    def flood(self, server, parts):
        """Sends as long as the server takes it."""
        connection = self.connect(server)
        connection.settimeout(0.5)
        with contextlib.suppress(OSError):
            for part in parts:
                connection.sendall(part)
                received(connection)

    def test_calls_that_are_reset_at_once(self):
        def resets():
            yield PREFACE + frame(SETTINGS, 0, 0)
            for first in range(1, 100001, 200):
                yield b"".join(
                    frame(HEADERS, 4, stream, call_headers(READ)) + frame(DATA, 1, stream, 5 * b"\0") +
                    frame(RESET, 0, stream, struct.pack(">I", 8)) for stream in range(first, first + 200, 2))

        # gRPC has a thread for every call, also for one that is reset, until the connection is found out and cut.
        self.tolerated = "Server Threadpool Exhausted"
        with self.attacked() as server:
            for _ in range(2):
                self.flood(server, resets())
            self.wait_until(lambda: unary(self.channel(server)) == OK)

    def test_floods_of_pings_and_settings(self):
        with self.attacked() as server:
            start = PREFACE + frame(SETTINGS, 0, 0)
            self.flood(server, [start] + 500 * [100 * frame(PING, 0, 0, 8 * b"x")])
            self.flood(server, [start] + 500 * [100 * frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65535))])

    def test_headers_without_an_end(self):
        with self.attacked() as server:
            start = PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, 0, 1, call_headers(READ))
            block = b"".join(header(b"x-%d" % i, 100 * b"y") for i in range(100))
            self.flood(server, [start] + 5000 * [frame(CONTINUATION, 0, 1, block)])

    def test_headers_that_no_client_sends(self):
        """Those of CVE-2023-1428 and CVE-2023-32732, and tables of any size."""
        usual = {b":method": b"POST", b":scheme": b"http", b":path": READ.encode(), b"te": b"trailers",
                 b"content-type": b"application/grpc"}
        with self.attacked() as server:
            for strange in ({b"te": b"x"}, {b":scheme": b"x"}, {b"grpclb_client_stats": b"x"}, {b"x-bin": b"!!!"},
                            {b"grpc-timeout": b"99999999999999999H"}, {b"grpc-encoding": b"snappy"}, {b":method": b"PUT"}):
                block = b"".join(header(*each) for each in {**usual, **strange}.items())
                self.flood(server, [PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, 4, 1, block) + frame(DATA, 1, 1, 5 * b"\0")])
            self.flood(server, [PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, 4, 1, b"\x3f\xff\xff\xff\x7f")])
            self.assertEqual(unary(self.channel(server)), OK)

    def test_streams_that_watch_health(self):
        with self.attacked() as server:
            watches = []
            for _ in range(20):
                channel = self.channel(server)
                watches += [channel.unary_stream("/grpc.health.v1.Health/Watch")(b"") for _ in range(90)]
            self.wait_until(lambda: sum(watch.done() for watch in watches) >= 1000)
            self.assertEqual(unary(self.channel(server), "/grpc.health.v1.Health/Check"), OK)


class TlsTest(GrpcAttackCase):

    def test_handshakes_that_do_not_end_and_wrong_certificates(self):
        ours, theirs = Authority(self.dir, "ours"), Authority(self.dir, "theirs")
        certificate, key = ours.sign("server")
        shown, shown_key = ours.sign("client")

        def trust(server):
            server.curl_options = ["--cacert", ours.certificate, "--cert", shown, "--key", shown_key]

        with self.attacked(tls={"CA": ours.certificate, "CERT": shown, "KEY": shown_key}, prepare=trust, tls_cert=certificate,
                           tls_key=key, tls_client_ca=ours.certificate) as server:
            hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"  # the beginning of one
            for i in range(200):
                connection = self.connect(server)
                connection.sendall(hello if i % 2 else PREFACE + frame(SETTINGS, 0, 0))
            forged, forged_key = theirs.sign("client")
            for pair in ((None, None), (forged_key.read_bytes(), forged.read_bytes())):
                credentials = grpc.ssl_channel_credentials(ours.certificate.read_bytes(), *pair)
                channel = self.hold(grpc.secure_channel(server.grpc, credentials, [("grpc.use_local_subchannel_pool", 1)]))
                self.assertEqual(unary(channel, timeout=5), grpc.StatusCode.UNAVAILABLE)


if __name__ == "__main__":
    attack_case.main()

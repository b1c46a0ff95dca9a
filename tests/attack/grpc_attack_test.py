"""Attacks on the gRPC port."""

import socket

import attack_case
import grpc

READ = "/ml_metadata.MetadataStoreService/GetArtifactTypes"


def unary(channel, method=READ, request=b"", timeout=20):
    """The code that a call ends with."""
    try:
        channel.unary_unary(method)(request, timeout=timeout)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


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
            self.assertEqual(unary(self.channel(server)), grpc.StatusCode.OK)
            # The others, too, come when they are gone.
            for connection in held:
                connection.close()
            self.wait_until(lambda: self.metric(server, "rekindle_grpc_connections") < 10)
            again = [self.connect(server) for _ in range(10)]
            self.assertEqual(unary(self.channel(server)), grpc.StatusCode.OK)
            self.assertEqual([self.was_closed(each) for each in again], 10 * [False])

    def test_connections_from_everywhere(self):
        with self.attacked(limits={"nofile": 256}) as server:
            for client in range(400):
                self.connect(server, "127.0.1.%d" % (client // 2))
            self.wait_until(lambda: self.metric(server, "rekindle_grpc_connections_refused_total") >= 300)


if __name__ == "__main__":
    attack_case.main()

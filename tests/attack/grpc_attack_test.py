"""Attacks on the gRPC port."""

import socket

import attack_case


class ConnectionsTest(attack_case.AttackCase):

    def connect(self, server, source="127.0.0.2"):
        host, _, port = server.grpc.rpartition(":")
        return self.hold(socket.create_connection((host, port), timeout=10, source_address=(source, 0)))

    def test_idle_connections(self):
        with self.attacked() as server:
            for _ in range(100):
                self.connect(server)


if __name__ == "__main__":
    attack_case.main()

"""A way to a server on which every connection is cut after some seconds: cutting_proxy.py HOST PORT SECONDS.

Prints the port that it listens at. Ends when its standard input does.
"""

import os
import selectors
import socket
import sys
import threading
import time


def carry(one, other, seconds):
    """Copies both ways until the time is over or a side has gone."""
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ, other)
        selector.register(other, selectors.EVENT_READ, one)
        while time.monotonic() < deadline:
            for key, _ in selector.select(timeout=max(0, deadline - time.monotonic())):
                data = key.fileobj.recv(65536)
                if not data:
                    return
                key.data.sendall(data)


def serve(client, address, seconds):
    with client, socket.create_connection(address) as server:
        try:
            carry(client, server, seconds)
        except OSError:
            pass


def main(host, port, seconds):
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, (host, int(port)), float(seconds)), daemon=True).start()


main(*sys.argv[1:])

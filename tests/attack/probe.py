"""Another client of a server under attack: asks for health, reads and renews a lease, one after the other, and times each.

    probe.py HTTP_URL GRPC_ADDRESS

A process of its own, so that it waits for the server alone. Goes on until its stdin ends, and for ROUNDS rounds at least, then
prints one JSON object: `seconds`, a list for each kind of call, and `failures`, a list of sentences. Without the package grpc it
asks over HTTP only. Shows the token in REKINDLE_METADATA_TOKEN, if there is one.
"""

import http.client
import json
import os
import pathlib
import select
import ssl
import sys
import time
import urllib.parse

try:
    import grpc
except ImportError:
    grpc = None

PAUSE = 0.005  # between two rounds, in seconds
ROUNDS = 60  # at least
TIMEOUT = 20
CLAIM = {"externalId": "probe", "executionType": {"name": "Probe"}, "owner": "probe", "leaseMillis": 600000}
READ = {"typeIds": [1]}
# With these it speaks TLS: whom it trusts, and what it shows.
CA, CERTIFICATE, KEY = (os.environ.get("REKINDLE_METADATA_" + name) for name in ("CA", "CERT", "KEY"))
AUTHORIZATION = {"authorization": "Bearer " + os.environ["REKINDLE_METADATA_TOKEN"]} if "REKINDLE_METADATA_TOKEN" in os.environ else {}


def varint(number):
    encoded = b""
    while number > 127:
        encoded += bytes([number & 127 | 128])
        number >>= 7
    return encoded + bytes([number])


class Probe:

    def __init__(self, http_url, grpc_address):
        self.address = urllib.parse.urlsplit(http_url).netloc
        self.kinds = {
            "healthz": lambda: self.get("/healthz"),
            "readyz": lambda: self.get("/readyz"),
            "http read": lambda: self.call("GetArtifactTypesByID", READ),
        }
        self.seconds = {}
        self.failures = []
        if grpc is not None:
            self.add_grpc(grpc_address)

    def add_grpc(self, address):
        claim = self.call("Claim", CLAIM)
        renew = b"\x08" + varint(int(claim["executionId"])) + b"\x10" + varint(int(claim["token"])) + b"\x18" + varint(600000)
        channel = self.channel(address)
        read = channel.unary_unary("/ml_metadata.MetadataStoreService/GetArtifactTypesByID")
        renewal = channel.unary_unary("/rekindle.v1.StepService/Renew")
        self.kinds["grpc read"] = lambda: read(b"\x08\x01", timeout=TIMEOUT, metadata=[*AUTHORIZATION.items()])
        self.kinds["renew"] = lambda: renewal(renew, timeout=TIMEOUT, metadata=[*AUTHORIZATION.items()])

    def channel(self, address):
        if CA is None:
            return grpc.insecure_channel(address)
        shown = [pathlib.Path(file).read_bytes() for file in (CA, KEY, CERTIFICATE)]
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(*shown))

    def connection(self):
        if CA is None:
            return http.client.HTTPConnection(self.address, timeout=TIMEOUT)
        context = ssl.create_default_context(cafile=CA)
        context.load_cert_chain(CERTIFICATE, KEY)
        return http.client.HTTPSConnection(self.address, timeout=TIMEOUT, context=context)

    def request(self, verb, path, body=None):
        connection = self.connection()
        try:
            connection.request(verb, path, body, {"Content-Type": "application/json", **AUTHORIZATION})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status != 200:
            raise OSError("%s %s" % (answer.status, text))
        return text

    def get(self, path):
        self.request("GET", path)

    def call(self, method, body):
        return json.loads(self.request("POST", "/api/v1/" + method, json.dumps(body)))

    def ask(self, kind):
        start = time.monotonic()
        try:
            self.kinds[kind]()
        except Exception as error:  # whatever a client of a server can see
            self.failures.append("%s: %s" % (kind, " ".join(str(error).split())))
        self.seconds.setdefault(kind, []).append(time.monotonic() - start)

    def warm_up(self):
        """A round that does not count, so that it is connected when an attack begins."""
        for kind in self.kinds.values():
            kind()

    def run(self):
        rounds = 0
        while rounds < ROUNDS or not select.select([sys.stdin], [], [], PAUSE)[0]:
            rounds += 1
            for kind in self.kinds:
                self.ask(kind)


def main():
    probe = Probe(*sys.argv[1:])
    probe.warm_up()
    print("ready", flush=True)
    probe.run()
    print(json.dumps({"seconds": probe.seconds, "failures": probe.failures}))


if __name__ == "__main__":
    main()

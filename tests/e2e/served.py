"""A running `rekindle serve`, and curl to talk to it."""

import json
import re
import subprocess

import workspace

LISTENING = re.compile(r"listening on (grpcs?|https?)://(\S+)\n")


class Server:
    """Serves a database on the loopback, on free ports unless told, until it is stopped. `limits` are those of prlimit(1), by
    name."""

    def __init__(self, db, limits=None, **flags):
        words = ["prlimit", *("--%s=%s" % limit for limit in limits.items())] if limits else []
        words += [str(workspace.BIN / "rekindle"), "serve", "--db=%s" % db]
        flags = {"grpc_port": 0, "http_port": 0, **flags}
        words += ["--%s=%s" % (name.replace("_", "-"), value) for name, value in flags.items()]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=workspace.ENVIRONMENT)
        self.addresses = dict(self._listening(line) for line in (self.process.stdout.readline() for _ in range(2)))
        scheme = "grpcs" if "grpcs" in self.addresses else "grpc"
        self.grpc = self.addresses[scheme]
        self.http = ("https://" if scheme == "grpcs" else "http://") + self.addresses["http"]
        self.curl_options = []  # whom it trusts, and what it shows
        self.url = "%s://%s" % (scheme, self.grpc)

    def _listening(self, line):
        match = LISTENING.fullmatch(line)
        if match is None:
            self.process.kill()
            raise AssertionError("rekindle serve said %r and on stderr %r" % (line, self.process.communicate()[1]))
        return match.group(1).replace("https", "http"), match.group(2)

    def stop(self):
        """SIGTERM; the exit code."""
        self.process.terminate()
        self.process.communicate(timeout=60)
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def curl(self, path, *arguments, data=None):
        """HTTP status and body of one request by the curl program."""
        words = ["curl", "--silent", "--show-error", "--max-time", "60", "--write-out", "\n%{http_code}"]
        if data is not None:
            words += ["--json", "@-"]
        done = subprocess.run(
            words + self.curl_options + [*arguments, self.http + path], input=data, capture_output=True, text=True, check=True)
        body, _, status = done.stdout.rpartition("\n")
        return int(status), body

    def call(self, method, body):
        """Calls a method with a JSON value; HTTP status and the answer's JSON value."""
        status, answer = self.curl("/api/v1/" + method, data=json.dumps(body))
        return status, json.loads(answer)


class ServedWorkspace(workspace.Workspace):

    def serve(self, db=None, limits=None, **flags):
        server = Server(db or self.db, limits, **flags)
        self.addCleanup(server.close)
        return server

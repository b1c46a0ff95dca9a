"""A server under attack, and the limits that it keeps whatever a client does."""

import contextlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import served  # noqa: E402
import workspace  # noqa: E402

MEMORY_MB = 200
TIMES_IDLE = 5
# Below this nobody waits, and a single turn of the scheduler would decide.
NOTICEABLE = 0.5
GRACE = 3
# From the end of the grace to the end of the process.
GOODBYE = 3
IDLE_SECONDS = 2


def p99(seconds):
    """Without the one that was slowest: there are few, and one turn of the disk or the scheduler must not decide."""
    return sorted(seconds)[math.ceil(0.99 * len(seconds)) - 2]


class Bystander:
    """Another client of a server (probe.py), from now on until it is asked how it was served."""

    def __init__(self, server, token=None, tls=None):
        environment = {**workspace.ENVIRONMENT, **({"REKINDLE_METADATA_TOKEN": token} if token else {}), **{
            "REKINDLE_METADATA_" + name: str(file) for name, file in (tls or {}).items()}}
        self.process = subprocess.Popen(
            [sys.executable, str(pathlib.Path(__file__).with_name("probe.py")), server.http, server.grpc],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        if self.process.stdout.readline() != "ready\n":
            raise AssertionError("no bystander: %s" % self.process.communicate()[1])

    def report(self):
        """`seconds` by kind of call and `failures`."""
        out, err = self.process.communicate(timeout=60)
        if self.process.returncode != 0:
            raise AssertionError("the bystander failed: %s" % err)
        return json.loads(out)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class AttackCase(served.ServedWorkspace):
    """
    with self.attacked(nofile=256) as server:
        ...  # what the attacker does; what he holds he keeps to the end of the test (hold)

    At the end of the block the server must have used at most MEMORY_MB, every call of another client must have been answered,
    the slowest in a hundred at most TIMES_IDLE times as slowly as without the attack, it must be alive and ready, and SIGTERM
    must end it inside its grace although the attacker is still there.
    """

    tolerated = None  # words of a refusal that one in ten calls of others may meet
    idle = {}  # p99 by kind of call of a server that is not attacked; measured once

    @contextlib.contextmanager
    def attacked(self, limits=None, prepare=None, token=None, tls=None, **flags):
        """`prepare` is called with the server before others watch, who show it `token` and speak TLS with the files CA, CERT
        and KEY of `tls`."""
        idle = self.measured_idle()
        server = self.serve(limits=limits, **{"grace": "%ds" % GRACE, **flags})
        if prepare is not None:
            prepare(server)
        bystander = Bystander(server, token, tls)
        self.addCleanup(bystander.close)
        yield server
        self.assertIsNone(server.process.poll(), "the server is gone")
        self.assert_others_served(bystander.report(), idle)
        self.assert_healthy(server)
        self.assert_memory(server)
        self.assert_ends(server)

    def hold(self, thing):
        """Keeps something open (it has a close()) until the test is over."""
        self.addCleanup(thing.close)
        return thing

    def measured_idle(self):
        if not AttackCase.idle:
            with tempfile.TemporaryDirectory(prefix="rekindle-idle-") as folder:
                server = self.serve(db=pathlib.Path(folder) / "idle.db")
                bystander = Bystander(server)
                time.sleep(IDLE_SECONDS)  # how long it is measured
                report = bystander.report()
                server.close()
            self.assertEqual(report["failures"], [])
            AttackCase.idle.update({kind: p99(seconds) for kind, seconds in report["seconds"].items()})
        return AttackCase.idle

    def say(self, text):
        print("  %s: %s" % (self.id().rpartition(".")[2], text), file=sys.stderr)

    def assert_others_served(self, report, idle):
        refused = [each for each in report["failures"] if self.tolerated is not None and self.tolerated in each]
        self.assertEqual([each for each in report["failures"] if each not in refused], [])
        self.assertLessEqual(10 * len(refused), sum(map(len, report["seconds"].values())))
        seen = {kind: p99(seconds) for kind, seconds in report["seconds"].items()}
        self.say("p99 " + ", ".join("%s %.1f ms (idle %.1f)" % (kind, 1e3 * seen[kind], 1e3 * idle[kind]) for kind in seen))
        for kind, seconds in seen.items():
            self.assertLess(seconds, max(TIMES_IDLE * idle[kind], NOTICEABLE), kind)

    def assert_healthy(self, server):
        for path in ("/healthz", "/readyz"):
            self.assertEqual(server.curl(path), (200, "ok\n"), path)

    def peak_memory_mb(self, server):
        status = pathlib.Path("/proc/%d/status" % server.process.pid).read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def assert_memory(self, server):
        peak = self.peak_memory_mb(server)
        self.say("peak memory %.0f MB" % peak)
        self.assertLess(peak, MEMORY_MB)

    def assert_ends(self, server):
        server.process.terminate()
        try:
            exit_code = server.process.wait(timeout=GRACE + GOODBYE)
        except subprocess.TimeoutExpired:
            self.fail("SIGTERM has not ended it within its grace of %d s" % GRACE)
        self.assertEqual(exit_code, 0)


main = workspace.main

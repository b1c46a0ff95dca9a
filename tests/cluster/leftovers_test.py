"""./test cluster tidies up after itself, also when it is interrupted."""

import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile

import node
import steps
from case import REPO, ClusterCase

CLUSTER_TESTS = REPO / "tests" / "cluster"
# As the start of a cluster reaches them: half of it runs by then.
LAST_STARTED = "log/kubelet.log"


class LeftoversTest(ClusterCase):

    def test_a_suite_that_is_interrupted_leaves_nothing(self):
        for asked in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(asked.name), tempfile.TemporaryDirectory() as cache:
                folder = self.borrow_programs(pathlib.Path(cache))
                mounts = self.mounts(cache)
                with self.suite(cache) as suite:
                    self.until("half a cluster", 120, (folder / "run" / LAST_STARTED).exists)
                    suite.send_signal(asked)
                    suite.send_signal(signal.SIGTERM)  # as by a parent that is asked, too: it goes on tidying up
                    self.assertEqual(suite.wait(timeout=60), 128 + asked)
                self.assertFalse((folder / "run").exists())
                self.assertEqual(self.processes_of(cache), [])
                self.assertEqual(list(node.CGROUPS.rglob(node.Node(folder / "run").cgroup)), [])
                self.assertEqual(self.mounts(cache), mounts)

    @staticmethod
    @contextlib.contextmanager
    def suite(cache):
        """A suite with a cluster of its own; it ends with the test, however that does."""
        environment = {**os.environ, "REKINDLE_CACHE": cache}
        with subprocess.Popen([CLUSTER_TESTS / "run", steps.BIN], env=environment, stderr=subprocess.DEVNULL) as suite:
            try:
                yield suite
            finally:
                suite.terminate()
                try:
                    suite.wait(timeout=60)
                except subprocess.TimeoutExpired:
                    suite.kill()
                    subprocess.run([CLUSTER_TESTS / "cluster", "down"], env=environment, check=True)

    def borrow_programs(self, cache):
        """A second cluster's folder, with the programs of the first."""
        folder = cache / "cluster"
        folder.mkdir()
        for part in ("bin", "src"):
            (folder / part).symlink_to(self.cluster.cache / part)
        return folder

    @staticmethod
    def mounts(cache):
        """Those that a cluster could have left: others on this machine have theirs."""
        words = (cache, *node.FOLDERS_OF_OTHERS)
        return sorted(line for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()
                      if any(word in line for word in words))

    @staticmethod
    def processes_of(cache):
        """Command lines that name the folder."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue  # ended meanwhile
            if any(cache in word for word in words):
                found.append(" ".join(words))
        return found

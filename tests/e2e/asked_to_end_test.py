"""A suite that is asked to end does so amid a test, and tidies up: tests/support/asked_to_end.py."""

import signal
import subprocess
import sys

import workspace

SUITE = """
import atexit, sys, time, unittest
sys.path.insert(0, %r)
import asked_to_end

class Tests(unittest.TestCase):
    def test_1(self):
        self.addCleanup(print, "cleaned up", flush=True)
        print("waiting", flush=True)
        time.sleep(600)

    def test_2(self):
        print("went on", flush=True)

atexit.register(print, "stopped", flush=True)
asked_to_end.run(lambda: unittest.main(argv=["suite"], exit=False) and 0)
""" % str(workspace.REPO / "tests" / "support")


class AskedToEndTest(workspace.Workspace):

    def test_each_signal_ends_the_suite_with_its_code(self):
        for asked in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(asked.name):
                suite = subprocess.Popen([sys.executable, "-c", SUITE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                self.addCleanup(suite.kill)
                self.assertEqual(suite.stdout.readline(), "waiting\n")
                suite.send_signal(asked)
                said, _ = suite.communicate(timeout=60)
                self.assertEqual(suite.returncode, 128 + asked)
                self.assertNotIn("went on", said)
                self.assertIn("stopped", said)


if __name__ == "__main__":
    workspace.main()

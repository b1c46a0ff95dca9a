"""A real OOM kill in a real memory control group. Needs root and control groups that can be written."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import workspace

TRY_AGAIN = 75
LIMIT = 64 << 20
VERSION_1 = pathlib.Path("/sys/fs/cgroup/memory")
VERSION_2 = pathlib.Path("/sys/fs/cgroup")
# Fills memory until something happens.
FILL = "exec tail /dev/zero"


class OomTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        version_1 = VERSION_1.is_dir()
        self.group = (VERSION_1 if version_1 else VERSION_2) / ("rekindle-oom-test-%d" % os.getpid())
        self.group.mkdir()
        self.addCleanup(self.group.rmdir)
        limits = {"memory.limit_in_bytes": LIMIT, "memory.memsw.limit_in_bytes": LIMIT} if version_1 else {
            "memory.max": LIMIT, "memory.swap.max": 0}
        for name, value in limits.items():
            if (self.group / name).exists():
                (self.group / name).write_text(str(value))

    def exec(self, script):
        words = self.command("exec", pipeline="p", node="N", run_id="r1", db=self.db, pipeline_root=self.root)
        words += ["--output", "o=Text", "--", "sh", "-c", script]
        enter = "echo $$ > %s/cgroup.procs && exec \"$@\"" % self.group
        return subprocess.run(["sh", "-c", enter, "sh", *words], capture_output=True, text=True, cwd=self.dir,
                              env=workspace.ENVIRONMENT, timeout=120)

    def test_a_child_killed_for_want_of_memory_is_out_of_memory(self):
        result = self.exec(FILL)
        self.assertEqual(result.returncode, TRY_AGAIN, result.stderr)
        self.assertIn("[OUT_OF_MEMORY]", result.stderr)
        self.assert_recorded("OUT_OF_MEMORY")

    def test_so_is_a_grandchild_whose_shell_says_137(self):
        result = self.exec("(%s); exit $?" % FILL)
        self.assertEqual(result.returncode, TRY_AGAIN, result.stderr)
        self.assert_recorded("OUT_OF_MEMORY")

    def test_one_that_is_killed_by_somebody_is_not(self):
        self.assertEqual(self.exec("kill -9 $$").returncode, TRY_AGAIN)
        self.assert_recorded("CHILD_SIGNAL")


if __name__ == "__main__":
    workspace.main()

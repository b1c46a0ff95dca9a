"""Publishing where the file system does not know the flags of renameat2(), as network file systems do not."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import workspace  # noqa: E402


class RenamingTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        faults = self.dir / "faults"
        faults.mkdir()
        (faults / "no-flags").touch()
        shim = workspace.BIN.parent / "lib" / "libfault_shim.so"
        self.assertTrue(shim.exists())  # the loader goes on without what it does not find
        self.environment = {**workspace.ENVIRONMENT, "REKINDLE_FAULTS": str(faults), "LD_PRELOAD": str(shim)}

    def start(self, script, run="r1", db=None):
        words = self.command("exec", "--output", "o=Text", pipeline="p", node="N", run_id=run, pipeline_root=self.root,
                             db=db or self.db, format="json")
        return subprocess.Popen([*words, "--", "sh", "-c", script], cwd=self.dir, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def published_by(self, step):
        out, err = step.communicate(timeout=60)
        self.assertEqual(step.returncode, 0, out + err)
        return json.loads(out)["outputs"]["o"]["uri"]

    def test_a_step_publishes(self):
        uri = self.published_by(self.start("echo 1 > {{outputs.o.uri}}/x"))
        self.assertEqual(uri, str(self.root / "N/o/1"))
        self.assertEqual(self.published("N", "o"), ["1"])
        self.ok(self.run_command("metadata", "check", db=self.db))

    def test_a_retry_takes_the_state_over(self):
        script = "if [ -e {{state_dir}}/x ]; then cp {{state_dir}}/x {{outputs.o.uri}}; else echo 1 > {{state_dir}}/x; exit 75; fi"
        first = self.start(script)
        first.communicate(timeout=60)
        self.assertEqual(first.returncode, 75)
        uri = self.published_by(self.start(script))
        self.assertEqual(pathlib.Path(uri, "x").read_text(), "1\n")

    def test_stores_that_publish_into_one_place_at_once(self):
        """Both are at it when the other is: each child waits until both have begun."""
        script = "touch begun-%d; while [ ! -e begun-%d ]; do sleep 0.01; done; echo %d > {{outputs.o.uri}}/x"
        for turn in range(5):
            for leftover in self.dir.glob("begun-*"):
                leftover.unlink()
            steps = [self.start(script % (i, 1 - i, i), run="r%d" % turn, db=self.dir / ("%d.db" % i)) for i in range(2)]
            uris = [self.published_by(step) for step in steps]
            self.assertEqual(len(set(uris)), 2)
            for i, uri in enumerate(uris):
                self.assertEqual(pathlib.Path(uri, "x").read_text(), "%d\n" % i)
        self.assertEqual([name for name in os.listdir(self.root / "N/o") if name.startswith(".")], [])


if __name__ == "__main__":
    workspace.main()

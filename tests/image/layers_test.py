"""What a change of code makes anew, and what not (docs/images.md)."""

import re
import time
import unittest

import containers

CHANGED = "rekindle:changed"


class LayersTest(unittest.TestCase):

    def test_a_change_of_code_compiles_but_installs_nothing(self):
        containers.build("trainer")
        with containers.clone() as folder:
            with open(folder / "cli" / "main.cc", "a", encoding="utf-8") as source:
                print("//", time.time_ns(), file=source)
            done = containers.build_in(folder, "trainer", "--tag", CHANGED)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.addCleanup(containers.get_engine().run, "image", "rm", CHANGED)
        self.assertEqual(_states(done.stderr, "--target rekindle "), {"[build-metadata": False})
        self.assertEqual(_states(done.stderr, "/run/install-"), {
            "[toolchain": True, "[tensorflow": True, "[runtime": True, "[trainer-runtime": True})


def _states(progress, word):
    """Of the steps with this word in BuildKit's plain progress: whether they were cached, by stage."""
    cached = set(re.findall(r"^(#\d+) CACHED$", progress, re.MULTILINE))
    steps = set(re.findall(r"^(#\d+) (\[\S+) .*%s" % re.escape(word), progress, re.MULTILINE))
    return {stage: number in cached for number, stage in steps}

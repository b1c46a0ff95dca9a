"""Rekindle's images, built from a clean clone, and containers that may do as little as possible."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import engine
import registries

REPO = pathlib.Path(__file__).resolve().parents[2]
# Nobody's: no passwd entry, no home.
CALLER = 12345
# As strict as a cluster that trusts nobody.
HARDENED = ("--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--network=none")

BIN = None  # set by run
_engine = None
_built = {}


def get_engine():
    """The one engine of this process."""
    global _engine
    if _engine is None:
        _engine = engine.Engine()
        _engine.make_base()
    return _engine


def build(target):
    """Builds a target, once, from a clone of what is committed; its tag."""
    if target not in _built:
        begin = time.monotonic()
        with clone() as folder:
            done = build_in(folder, target)
        if done.returncode != 0:
            raise AssertionError("%s does not build:\n%s" % (target, done.stderr[-6000:]))
        _built[target] = "rekindle:%s" % target
        print("%s: built in %.0f s" % (target, time.monotonic() - begin), file=sys.stderr)
    return _built[target]


@contextlib.contextmanager
def clone():
    """A folder with what is committed."""
    with tempfile.TemporaryDirectory(prefix="rekindle-clone-") as folder:
        subprocess.run(["git", "clone", "--quiet", "--depth=1", "file://%s" % REPO, folder], check=True)
        yield pathlib.Path(folder)


def build_in(folder, target, *flags):
    """Runs the project's own script there."""
    docker = get_engine()
    return subprocess.run(
        ["tools/image/build", target, "--base", engine.BASE, "--registries", "host", "--network", "host", *flags],
        cwd=folder, env=registries.mark(docker.environment, docker.dir), capture_output=True, text=True, check=False)


class Containers(unittest.TestCase):
    """A folder of the caller's, mounted as /data, and verbs to run commands of an image on it."""

    target = None  # of the Dockerfile; set by a class
    mount = "rw"   # how the folder is

    def setUp(self):
        self.docker = get_engine()
        self.image = build(self.target)
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="rekindle-data-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        shutil.copy(REPO / "examples/penguin/penguins.csv", self.dir)
        self.give(self.dir)

    def give(self, folder, owner=CALLER):
        """Makes somebody the owner of a folder and all that is in it."""
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, owner, owner)

    def words(self, *arguments, docker=(), **flags):
        """The arguments of `docker run` for a rekindle command."""
        command = [*arguments, *("--%s=%s" % (name.replace("_", "-"), value) for name, value in flags.items())]
        return ["run", *HARDENED, "--user=%d:%d" % (CALLER, CALLER), "--volume=%s:/data:%s" % (self.dir, self.mount),
                *docker, self.image, *command]

    def rekindle(self, *arguments, docker=(), **flags):
        """Runs a rekindle command in a new container, to its end."""
        return self.docker.run(*self.words(*arguments, docker=("--rm", *docker), **flags), check=False)

    def step(self, verb, **flags):
        flags = {"pipeline": "penguin", "pipeline_root": "/data/pipelines", "run_id": "r1", "output": "json", **flags}
        return self.rekindle(verb, **flags)

    def ok(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def report(self, verb, **flags):
        return json.loads(self.ok(self.step(verb, **flags)).stdout)

    def query(self, *arguments):
        return json.loads(self.ok(self.rekindle("metadata", *arguments, output="json")).stdout)

    def prepare(self):
        self.report("example-gen", input="/data/penguins.csv", null_value="NA")
        self.report("schema-gen")

    def train(self, **flags):
        return self.report("train", **{"label_key": "species", "train_steps": 100, **flags})

    def start(self, *arguments, docker=(), **flags):
        """Starts a container that runs on; its id."""
        started = self.docker.run(*self.words(*arguments, docker=("--detach", *docker), **flags)).stdout.strip()
        self.addCleanup(self.docker.run, "rm", "--force", started, check=False)
        return started

    def end(self, container):
        """Asks it to stop, and waits; its exit code."""
        self.docker.run("stop", "--time=60", container)
        return int(self.docker.run("inspect", "--format", "{{.State.ExitCode}}", container).stdout)

    def find(self, *patterns):
        """Files of the image with such names."""
        names = [word for pattern in patterns for word in ("-o", "-name", pattern)][1:]
        return self.docker.run("run", "--rm", "--network=none", "--user=0", "--entrypoint=find", self.image, "/", "-xdev",
                               "(", *names, ")").stdout.split()

    def wait_for(self, what, holds, seconds=120):
        deadline = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), deadline, "%s did not come" % what)
            time.sleep(0.1)

    def logs(self, container):
        done = self.docker.run("logs", container)
        return done.stdout + done.stderr

    def assert_all_is_the_callers(self):
        for path in self.dir.rglob("*"):
            self.assertEqual((path.stat().st_uid, path.stat().st_gid), (CALLER, CALLER), path)

    def assert_refused(self, done, exit_code, *fragments):
        """One sentence of ours on stderr that holds the fragments, and that exit code."""
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        last = done.stderr.strip().splitlines()[-1]
        self.assertTrue(last.startswith("rekindle: "), last)
        for fragment in fragments:
            self.assertIn(fragment, last)
        for noise in ("Traceback", "terminate called", "Aborted"):
            self.assertNotIn(noise, done.stderr)

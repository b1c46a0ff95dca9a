"""That an image with Python holds the same packages wherever and whenever it is built."""

import re

import containers


class PinnedPackages:
    """A test to mix in to those of one image, containers.Containers."""

    def test_every_python_package_is_of_a_pinned_version(self):
        frozen = self.docker.run("run", "--rm", "--network=none", "--entrypoint=python3", self.image, "-m", "pip", "freeze")
        held = {_normal(line) for line in frozen.stdout.split()}
        self.assertEqual(held - _pinned(), set())


def _pinned():
    versions = (containers.REPO / "tools/versions").read_text(encoding="utf-8")
    named = {name: re.search(r"^%s_VERSION=(\S+)" % name, versions, re.MULTILINE)[1] for name in ("TENSORFLOW", "TENSORBOARD")}
    return {"tensorflow==%s" % named["TENSORFLOW"], "tensorflow-cpu==%s" % named["TENSORFLOW"],
            "tensorboard==%s" % named["TENSORBOARD"],
            *(_normal(line) for line in (containers.REPO / "tools/image/constraints.txt").read_text().splitlines())}


def _normal(line):
    """Python's rule for names that are the same."""
    name, equals, version = line.partition("==")
    return re.sub(r"[-_.]+", "-", name).lower() + equals + version

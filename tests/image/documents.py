"""Lines of documents, run as they are written by a user of group docker."""

import pathlib
import re
import shutil
import subprocess
import textwrap

import containers

DOCKER = pathlib.Path(__file__).resolve().parent / "bin" / "docker"


class Documents(containers.Containers):
    """The images that the lines name, and a folder that is like the repository to them."""

    target = "trainer"

    def setUp(self):
        super().setUp()
        containers.build("metadata")
        example = self.dir / "examples" / "penguin"
        example.mkdir(parents=True)
        (self.dir / "penguins.csv").rename(example / "penguins.csv")
        (self.dir / "bin").mkdir()
        shutil.copy(DOCKER, self.dir / "bin")
        self.give(self.dir)

    def run_lines(self, lines):
        """What they print. They fail where one of them does."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", lines], cwd=self.dir, capture_output=True, text=True, timeout=600, check=False,
            env={**self.docker.environment, "PATH": "%s:/usr/bin:/bin" % (self.dir / "bin")},
            user=containers.CALLER, group=containers.CALLER, extra_groups=[self.docker.socket.stat().st_gid])
        return self.ok(done).stdout


def read(document):
    return (containers.REPO / document).read_text(encoding="utf-8")


def block(document, word):
    """The first block of a Markdown document, fenced or indented, that holds this word."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$|^((?: {4}[^\n]*\n|\n(?= {4}))+)", read(document), re.MULTILINE | re.DOTALL)
    return next(textwrap.dedent(fenced or indented) for fenced, indented in blocks if word in fenced + indented)

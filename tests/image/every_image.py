"""What holds for every image that runs without a GPU."""

import json
import pathlib
import re
import sys

import engine
import images

LABELS = ("title", "description", "licenses", "version", "revision")
MEGABYTE = 1e6
# TFX's image, as its users report it.
TFX_MEGABYTES = 12_300


class EveryImage:
    """Tests to mix in to those of one image, images.Containers."""

    most_megabytes = None  # over the base

    def test_is_small(self):
        base = self.docker.size(engine.BASE) / MEGABYTE
        over = self.docker.size(self.image) / MEGABYTE - base
        print("\n%s: %.0f MB over the base of %.0f MB (TFX's image has %d MB)" % (self.target, over, base, TFX_MEGABYTES),
              file=sys.stderr)
        if self.most_megabytes:
            self.assertLessEqual(over, self.most_megabytes)

    def test_shows_its_help_when_nothing_is_asked(self):
        self.assertIn("Usage: rekindle COMMAND", self.ok(self.rekindle()).stdout)

    def test_is_nobodys_and_says_what_it_is(self):
        config = json.loads(self.docker.run("image", "inspect", self.image).stdout)[0]["Config"]
        self.assertNotIn(config["User"].split(":")[0], ("", "0", "root"))
        for label in LABELS:
            self.assertNotIn(config["Labels"]["org.opencontainers.image." + label], ("", "unknown"))

    def test_holds_no_settings_of_the_registries_it_came_from(self):
        history = self.docker.run("history", "--no-trunc", "--format", "{{.CreatedBy}}", self.image).stdout
        for host in _hosts_of_apt():
            self.assertNotIn(host, history)
        self.assertEqual(self.find("apt_sources", "pip.conf", "build.sources", "ccache"), [])

    def test_makes_examples_and_answers_queries_for_anybody_on_a_read_only_root(self):
        self.prepare()
        artifacts = self.query("list", "artifacts")
        self.assertEqual(sorted(artifact["type"] for artifact in artifacts), ["Examples", "Schema"])
        self.assert_all_is_the_callers()

    def test_works_in_a_new_volume_as_its_own_user(self):
        volume = self.docker.run("volume", "create").stdout.strip()
        self.addCleanup(self.docker.run, "volume", "rm", "--force", volume)
        run = ["run", "--rm", *images.HARDENED, "--volume=%s:/data" % volume, "--volume=%s:/in:ro" % self.dir, self.image]
        self.dir.chmod(0o755)
        self.docker.run(*run, "example-gen", "--pipeline=p", "--input=/in/penguins.csv", "--null-value=NA")
        listed = self.docker.run(*run, "metadata", "list", "artifacts", "--output=json").stdout
        self.assertEqual(len(json.loads(listed)), 1)

    def test_waits_for_orphans(self):
        server = self.start("serve")
        self.wait_for("the server", lambda: "listening" in self.logs(server))
        orphan = self.docker.run("exec", server, "sh", "-c", "(sleep 0.2 >&- 2>&- & echo $!)").stdout.strip()
        # A zombie keeps its folder in /proc; one that was waited for does not.
        self.wait_for("the orphan's end", lambda: self.docker.run(
            "exec", server, "test", "-d", "/proc/" + orphan, check=False).returncode == 1)
        self.assertEqual(self.end(server), 0)


def _hosts_of_apt():
    """From where this machine has its packages."""
    texts = [path.read_text(encoding="utf-8") for path in pathlib.Path("/etc/apt").rglob("*")
             if path.suffix in (".list", ".sources")]
    return set(re.findall(r"https?://([^/\s]+)", "\n".join(texts)))

"""What can be seen of every image without a step."""

import json
import sys

import engine
import registries

LABELS = ("title", "description", "licenses", "version", "revision", "base.name", "base.digest")
SBOM = "/opt/rekindle/sbom.spdx.json"
MEGABYTE = 1e6
# TFX's image, as its users report it.
TFX_MEGABYTES = 12_300


class EveryImage:
    """Tests to mix in to those of one image, containers.Containers."""

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

    def test_lists_what_it_is_made_of(self):
        def inside(*words):
            return self.docker.run("run", "--rm", "--network=none", "--entrypoint=" + words[0], self.image, *words[1:]).stdout
        bill = json.loads(inside("cat", SBOM))
        listed = {reference["referenceLocator"] for package in bill["packages"] for reference in package["externalRefs"]}
        debian = inside("dpkg-query", "-W", "-f=${Package}\n").split()
        self.assertEqual(len([url for url in listed if url.startswith("pkg:deb/")]), len(debian))
        self.assertEqual(bill["packages"][0]["name"], "rekindle")
        self.assertNotIn(bill["packages"][0]["versionInfo"], ("", "unknown"))
        self.assertEqual(any(url.startswith("pkg:pypi/tensorflow") for url in listed), self.target != "metadata")

    def test_holds_no_settings_of_the_registries_it_came_from(self):
        hosts = registries.hosts()
        self.assertTrue(hosts)
        history = self.docker.run("history", "--no-trunc", "--format", "{{.CreatedBy}}", self.image).stdout
        self.assertEqual([host for host in hosts if host in history], [])
        # What the base names is no secret of the build.
        hosts -= set(self.docker.search(engine.BASE, hosts))
        self.assertEqual(self.docker.search(self.image, hosts), {})
        self.assertEqual(self.find("apt_sources", "pip.conf", "build.sources", "ccache"), [])

"""What every image runs that does not insist on a GPU."""

import json

import containers


class StepsInImage:
    """Tests to mix in to those of one image, containers.Containers."""

    def test_makes_examples_and_answers_queries_for_anybody_on_a_read_only_root(self):
        self.prepare()
        artifacts = self.query("list", "artifacts")
        self.assertEqual(sorted(artifact["type"] for artifact in artifacts), ["Examples", "Schema"])
        self.assert_all_is_the_callers()

    def test_works_in_a_new_volume_as_its_own_user(self):
        volume = self.docker.run("volume", "create").stdout.strip()
        self.addCleanup(self.docker.run, "volume", "rm", "--force", volume)
        run = ["run", "--rm", *containers.HARDENED, "--volume=%s:/data" % volume, "--volume=%s:/in:ro" % self.dir, self.image]
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

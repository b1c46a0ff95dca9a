"""Several metadata stores, one pipeline root: nobody touches what another one published."""

import json
import pathlib
import shutil
import subprocess

import served
import workspace


class SharedRootTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.texts = {}  # by the uri of what was published

    def publish(self, text, run="r1", **store):
        """A step that publishes the text; the report."""
        command = self.command("exec", "--output", "o=Text", pipeline="p", node="N", run_id=run, pipeline_root=self.root,
                               format="json", **(store or {"db": self.db}))
        done = subprocess.run([*command, "--", "sh", "-c", "printf '%s' > {{outputs.o.uri}}/x" % text], capture_output=True,
                              text=True, cwd=self.dir, env=workspace.ENVIRONMENT, timeout=60)
        report = json.loads(self.ok(done).stdout)
        self.assertEqual(report["state"], "COMPLETE")
        self.texts[report["outputs"]["o"]["uri"]] = text
        return report

    def assert_all_there(self, count):
        self.assertEqual(len(self.texts), count)
        for uri, text in self.texts.items():
            self.assertEqual((pathlib.Path(uri) / "x").read_text(), text, uri)

    def reap(self, **store):
        self.ok(self.run_command("reap", pipeline="p", pipeline_root=self.root, folder_age="0s", **(store or {"db": self.db})))

    def test_a_database_that_is_made_anew(self):
        for text in ("first", "second", "third"):
            self.db.unlink(missing_ok=True)
            self.publish(text)
            self.reap()
            self.ok(self.run_command("metadata", "check", db=self.db))
        self.assert_all_there(3)
        self.assertIn(str(self.root / "N/o/1"), self.texts, "the first one has the name that TFX gives it")

    def test_served_and_embedded_stores(self):
        server = served.Server(self.dir / "served.db")
        self.addCleanup(server.close)
        for i, store in enumerate([{"db": self.db}, {"metadata": server.url}, {"db": self.dir / "other.db"}] * 2):
            self.publish("text %d" % i, run="r%d" % i, **store)
            self.reap(**store)
        self.assert_all_there(6)
        for store in ({"db": self.db}, {"metadata": server.url}):
            self.ok(self.run_command("metadata", "check", **store))

    def test_a_copied_database(self):
        self.publish("before")
        copy = self.dir / "copy.db"
        shutil.copy(self.db, copy)
        self.publish("original", run="r2")
        self.publish("copy", run="r2", db=copy)
        self.reap(db=copy)
        self.reap()
        self.assert_all_there(3)
        for db in (self.db, copy):
            self.ok(self.run_command("metadata", "check", db=db))

    def test_a_restored_backup(self):
        self.publish("before")
        backup = self.dir / "backup.db"
        self.ok(self.run_command("metadata", "backup", backup, db=self.db))
        self.publish("lost", run="r2")
        shutil.copy(backup, self.db)
        for leftover in self.dir.glob("metadata.db-*"):
            leftover.unlink()
        self.publish("again", run="r2")
        self.reap()
        self.assert_all_there(3)
        self.ok(self.run_command("metadata", "check", db=self.db))


if __name__ == "__main__":
    workspace.main()

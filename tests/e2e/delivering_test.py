"""bless, push and resolve: what happens to a model after it was trained, as commands."""

import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess

import workspace

INTERNAL_OUTPUT = 6  # ml_metadata.Event.Type
NOT_FOUND = 3  # exit code


class DeliveringTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.serving = self.dir / "serving"

    def model(self, name="first", size=10):
        """Makes a folder that looks like a model an artifact; its record."""
        files = {"saved_model.pb": b"graph of " + name.encode(), "variables/variables.index": b"index",
                 "variables/variables.data-00000-of-00001": name.encode() * size}
        for path, content in files.items():
            file = self.dir / name / "Format-Serving" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return self.report("import", type="Model", uri=self.dir / name, node="Import-" + name)["outputs"]["result"]

    def bless(self, model, **flags):
        report = self.report("bless", model="id:%d" % model["id"], **{"reason": "looked at it", **flags})
        return report["outputs"]["blessing"]

    def push(self, **flags):
        return self.report("push", destination=self.serving, **flags)["outputs"]["pushed_model"]

    def versions(self):
        """All names in the serving folder, hidden ones included."""
        return sorted(os.listdir(self.serving)) if self.serving.is_dir() else []

    def latest_blessed(self):
        """The id that `latest-blessed` comes to, or None."""
        result = self.step("resolve", input="model=Model:latest-blessed", optional="model", output="json",
                           dry_run="true")
        chosen = json.loads(self.ok(result).stdout)["inputs"]["model"]["chosen"]
        return chosen[0]["id"] if chosen else None

    def forged(self):
        """A model whose files changed, and whose record says that they look as they did."""
        model, changed = self.model("first"), self.dir / "first" / "Format-Serving" / "saved_model.pb"
        changed.write_bytes(changed.read_bytes()[::-1])
        now = self.report("import", type="Model", uri=self.dir / "first")["outputs"]["result"]
        with sqlite3.connect(self.db) as connection:
            connection.execute("UPDATE ArtifactProperty SET string_value = ? WHERE artifact_id = ? AND "
                               "name = 'stat_fingerprint'", (now["custom_properties"]["stat_fingerprint"], model["id"]))
        return model

    def test_a_push_reads_every_file_again(self):
        model = "id:%d" % self.forged()["id"]
        self.ok(self.step("resolve", input="model=Model:" + model))
        result = self.step("resolve", input="model=Model:" + model, node="N", verify="full")
        self.assert_refused(result, 1, "its files changed")
        result = self.step("push", destination=self.serving, model=model, blessing="none")
        self.assert_refused(result, 1, "its files changed")
        self.assertEqual(self.versions(), [])
        self.assert_refused(self.step("push", destination=self.serving, verify="ful"), 2, "--verify: 'ful'")
        found = self.run_command("metadata", "check", "--full", db=self.db)
        self.assertIn("its files changed", found.stdout)
        self.assertEqual(found.returncode, 1)

    def test_a_person_blesses_and_takes_it_back(self):
        first, second = self.model("first"), self.model("second")
        self.assertIsNone(self.latest_blessed())
        blessing = self.bless(first, reason="better on the coast", by="ada")
        self.assertEqual(os.listdir(blessing["uri"]), ["BLESSED"])
        properties = blessing["custom_properties"]
        self.assertEqual((properties["blessed"], properties["current_model_id"], properties["current_model"]),
                         (1, first["id"], first["uri"]))
        self.assertEqual((properties["blessing_message"], properties["blessed_by"]), ("better on the coast", "ada"))
        self.assertEqual(self.latest_blessed(), first["id"])
        self.bless(second)
        self.assertEqual(self.latest_blessed(), second["id"])
        # "No" takes back what was said before, and is taken back by the next "yes".
        withdrawn = self.bless(second, no="true", reason="wrong on the islands")
        self.assertEqual(os.listdir(withdrawn["uri"]), ["NOT_BLESSED"])
        self.assertEqual(withdrawn["custom_properties"]["blessed"], 0)
        self.assertEqual(self.latest_blessed(), first["id"])
        self.bless(second, reason="looked again")
        self.assertEqual(self.latest_blessed(), second["id"])

    def test_what_is_blessed_is_pushed_once(self):
        model = self.model()
        self.bless(model)
        pushed = self.push(run_id="monday")
        [version] = self.versions()
        place = self.serving / version
        self.assertEqual(pushed["custom_properties"]["pushed"], 1)
        self.assertEqual(pushed["custom_properties"]["pushed_version"], version)
        self.assertEqual(pushed["custom_properties"]["pushed_destination"], str(place))
        for folder in (place, pathlib.Path(pushed["uri"])):
            served = {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}
            self.assertEqual(served["saved_model.pb"], b"graph of first")
            self.assertEqual(len(served), 3)
        again = self.report("push", destination=self.serving, run_id="monday")
        self.assertTrue(again["finished_before"])
        self.assertEqual(self.versions(), [version])
        # Another run pushes another version, above the first; nothing is reused.
        self.assertGreater(int(self.push(run_id="tuesday")["custom_properties"]["pushed_version"]), int(version))

    def test_what_is_not_blessed_is_not_pushed(self):
        model = self.model()
        for prepare, reason in ((lambda: None, "no ModelBlessing was found"),
                                (lambda: self.bless(model, no="true", reason="too slow"), "too slow"),
                                (lambda: self.bless(self.model("other")), "not of model")):
            prepare()
            with self.subTest(reason=reason):
                pushed = self.push(model="id:%d" % model["id"])
                self.assertEqual(pushed["custom_properties"]["pushed"], 0)
                self.assertIn(reason, pushed["custom_properties"]["push_message"])
                self.assertEqual(self.versions(), [])
        text = self.ok(self.step("push", destination=self.serving, model="id:%d" % model["id"])).stdout
        self.assertIn("not pushed: ", text)
        self.assertEqual(self.push(model="id:%d" % model["id"], blessing="none")["custom_properties"]["pushed"], 1)

    def test_the_next_version_is_above_all_that_are_there(self):
        for name in ("99999999999", "7", "old.backup"):
            (self.serving / name).mkdir(parents=True)
        self.model()
        self.assertEqual(self.push(blessing="none")["custom_properties"]["pushed_version"], "100000000000")

    def test_a_report_says_whether_it_was_blessed_or_pushed(self):
        model = self.model()
        self.bless(model, outputs_dir=self.dir / "bless")
        self.push(outputs_dir=self.dir / "push")
        self.assertEqual((self.dir / "bless" / "blessed").read_text(), "true")
        self.assertEqual((self.dir / "push" / "pushed").read_text(), "true")

    def test_a_push_that_is_killed_leaves_nothing_half(self):
        self.model(size=4_000_000)  # 20 MB: it takes a while
        command = self.command("push", pipeline="penguin", db=self.db, pipeline_root=self.root, run_id="r1", lease="1s",
                               destination=self.serving, blessing="none", output="json")
        whole = (self.dir / "first" / "Format-Serving" / "variables" / "variables.data-00000-of-00001").stat().st_size
        moments = random.Random(7)
        for _ in range(6):
            push = subprocess.Popen(command, cwd=self.dir, env=workspace.ENVIRONMENT, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                push.wait(timeout=moments.uniform(0.01, 0.3))
            except subprocess.TimeoutExpired:
                os.killpg(push.pid, signal.SIGKILL)
                push.wait()
            for version in (v for v in self.versions() if v.isdigit()):
                data = self.serving / version / "variables" / "variables.data-00000-of-00001"
                self.assertEqual(data.stat().st_size, whole)
        last = subprocess.run(command, cwd=self.dir, env=workspace.ENVIRONMENT, capture_output=True, text=True,
                              timeout=120)
        self.ok(last)
        self.assertEqual(len(self.versions()), 1, self.versions())
        self.assertEqual(json.loads(last.stdout)["outputs"]["pushed_model"]["custom_properties"]["pushed_version"],
                         self.versions()[0])

    def test_a_resolver_puts_out_what_it_finds(self):
        model = self.model()
        report = self.report("resolve", input="model=Model:latest", run_id="r1")
        self.assertEqual((report["state"], report["outputs"]["model"]["id"]), ("COMPLETE", model["id"]))
        with sqlite3.connect(self.db) as connection:
            events = connection.execute("SELECT artifact_id, type FROM Event WHERE execution_id = ?",
                                        (report["execution_id"],)).fetchall()
            [(kind,)] = connection.execute("SELECT Type.name FROM Execution JOIN Type ON type_id = Type.id "
                                           "WHERE Execution.id = ?", (report["execution_id"],))
        self.assertEqual(events, [(model["id"], INTERNAL_OUTPUT)])
        self.assertEqual(kind, "tfx.dsl.components.common.resolver.Resolver")
        # Whoever comes behind takes it by its key, and a retry finds it.
        self.bless(model)
        pushed = self.report("push", destination=self.serving, run_id="r1", model="run:Resolver.model")
        self.assertEqual(pushed["inputs"]["model"][0]["id"], model["id"])
        again = self.report("resolve", input="model=Model:latest", run_id="r1")
        self.assertTrue(again["finished_before"])
        self.assertEqual(again["outputs"]["model"]["id"], model["id"])

    def test_a_resolver_that_finds_nothing_says_so(self):
        refused = self.step("resolve", input="model=Model:latest-blessed")
        self.assert_refused(refused, NOT_FOUND, "input 'model'", "--input=model=Model:id:NUMBER", "[INPUT_NOT_FOUND]")
        self.assert_recorded("INPUT_NOT_FOUND")
        empty = self.report("resolve", input="model=Model:latest-blessed", optional="model")
        self.assertEqual((empty["state"], empty["outputs"]), ("COMPLETE", {}))

    def test_what_cannot_be_done_is_refused(self):
        self.model()
        remote = self.step("push", destination="s3://bucket/models")
        self.assert_refused(remote, 2, "--destination", "not a path on this machine")
        self.assert_refused(self.step("push"), 2, "--destination is missing")
        self.assert_refused(self.step("bless"), 2, "--reason is missing")
        self.assert_refused(self.step("resolve"), 2, "--input is missing")
        typo = self.step("resolve", input="model=Model:latest", optional="modle")
        self.assert_refused(typo, 2, "--optional", "modle")
        self.serving.write_text("a file is in the way")
        blocked = self.step("push", destination=self.serving, blessing="none")
        self.assert_refused(blocked, 1, "[OUTPUT_UNWRITABLE]")


if __name__ == "__main__":
    workspace.main()

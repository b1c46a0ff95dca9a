"""Every verb of `rekindle metadata`, against a file and against a server."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import time

import workspace


def export_of(artifacts):
    """The lines of an export that holds so many artifacts of one type."""
    records = [{"artifact_type": {"id": "10", "name": "T"}}]
    records += [{"artifact": {"id": str(i + 1), "type_id": "10", "uri": "/u/%d" % i, "state": "LIVE",
                              "create_time_since_epoch": "1", "last_update_time_since_epoch": "1"}}
                for i in range(artifacts)]
    header = {"header": {"format_version": 1, "schema_version": "10", "last_type_id": "10",
                         "last_artifact_id": str(artifacts)}}
    end = {"end": {"records": str(len(records))}}
    return "".join(json.dumps(record) + "\n" for record in [header, *records, end])


class Verbs:
    """What holds however the store is reached; `where` says how."""

    def setUp(self):
        super().setUp()
        self.prepare()

    def where(self, db):
        raise NotImplementedError

    def metadata(self, *arguments, db=None, **flags):
        return self.run_command("metadata", *arguments, **self.where(db or self.db), **flags)

    def answer(self, *arguments, **flags):
        return json.loads(self.ok(self.metadata(*arguments, output="json", **flags)).stdout)

    def leftovers(self):
        return [name for name in os.listdir(self.dir) if "unfinished" in name]

    # --- list, get, latest, lineage, why ---

    def test_a_filter_chooses(self):
        self.assertEqual([a["type"] for a in self.answer("list", "artifacts", filter="type = 'Schema'")], ["Schema"])
        self.assertEqual(len(self.answer("list", "artifacts", pipeline="penguin", run="r1")), 2)
        self.assertEqual(self.answer("list", "artifacts", pipeline="other"), [])
        self.assertEqual([c["name"] for c in self.answer("list", "contexts", pipeline="penguin")], ["r1"])
        self.assertEqual(len(self.answer("list", "executions", context=1, filter="last_known_state = COMPLETE")), 2)

    def test_a_wrong_filter_is_pointed_at(self):
        refused = self.metadata("list", "artifacts", filter="type = 'Schema' AN id = 1")
        self.assertEqual(refused.returncode, 2)
        message, text, caret = refused.stderr.splitlines()
        self.assertIn("--filter, character 17", message)
        self.assertEqual(text[caret.index("^"):], "AN id = 1")
        refused = self.metadata("list", "artifacts", filter="last_known_state = COMPLETE", run="r1")
        self.assertEqual(refused.returncode, 2)
        self.assertEqual(refused.stderr.splitlines()[2], "  ^")

    def test_lists_are_ordered_and_limited(self):
        self.assertEqual([a["id"] for a in self.answer("list", "artifacts")], [2, 1])
        self.assertEqual([a["id"] for a in self.answer("list", "artifacts", "--asc", order_by="create-time")], [1, 2])
        self.assertEqual([a["id"] for a in self.answer("list", "artifacts", limit=1, order_by="update-time")], [2])
        self.assert_refused(self.metadata("list", "artifacts", order_by="size"), 2, "--order-by", "create-time")
        self.assert_refused(self.metadata("list", "artifacts", limit=-1), 2, "--limit")

    def test_lists_go_beyond_a_page(self):
        db = self.dir / "many.db"
        file = self.dir / "many.jsonl"
        file.write_text(export_of(250))
        self.ok(self.metadata("load", file, db=db))
        self.assertEqual([a["id"] for a in self.answer("list", "artifacts", db=db, limit=0)], list(range(250, 0, -1)))
        self.assertEqual(len(self.answer("list", "artifacts", db=db, limit=150, filter="id > 1")), 150)
        self.assertEqual(len(self.answer("list", "artifacts", db=db)), 20)

    def test_types_and_formats(self):
        types = {t["name"]: t for t in self.answer("list", "types")}
        self.assertEqual(types["Examples"]["properties"]["span"], "INT")
        self.assertEqual(types["Examples"]["base_type"], "DATASET")
        self.assertIn("name: Examples\n", self.ok(self.metadata("list", "types", output="yaml")).stdout)
        self.assertIn("type: Schema\n", self.ok(self.metadata("get", "artifact", 2, output="yaml")).stdout)
        self.assertIn("uri", self.ok(self.metadata("get", "artifact", 2)).stdout)
        self.assert_refused(self.metadata("list", "types", run="r1"), 2, "--type")

    def test_unknown_kinds_and_ids(self):
        self.assert_refused(self.metadata("list", "models"), 2, "models", "executions")
        self.assert_refused(self.metadata("get", "model", 1), 2, "'model'")
        self.assert_refused(self.metadata("get", "artifact", "x"), 2, "'x'")
        for question in (("get", "artifact", 99), ("get", "execution", 99), ("get", "context", 99),
                         ("lineage", 99), ("lineage", "execution:99"), ("why", "execution:99"), ("check", 99),
                         ("delete", "artifact", 99)):
            self.assert_refused(self.metadata(*question), 3, "99")
        self.assert_refused(self.metadata("why", "nothing", 2), 3, "'nothing'", "examples")

    def test_lineage_is_drawn(self):
        self.assertIn("Schema 2", self.ok(self.metadata("lineage", 2)).stdout)
        self.assertIn("e2 -> a2", self.ok(self.metadata("lineage", 2, format="dot")).stdout)
        mermaid = self.ok(self.metadata("lineage", "execution:1", "--downstream", "-o", "mermaid")).stdout
        self.assertIn('e1 -->|"examples"| a1', mermaid)
        self.assertEqual(len(self.answer("lineage", 2)["executions"]), 2)

    def test_latest_and_why(self):
        self.assertEqual(self.answer("latest", "Schema", pipeline="penguin")["id"], 2)
        [choices] = self.answer("why", 2)
        self.assertEqual(choices["execution_id"], 2)
        self.assertEqual([(i["key"], [c["id"] for c in i["chosen"]]) for i in choices["inputs"]], [("examples", [1])])

    # --- check, delete ---

    def test_check_finds_what_changed(self):
        self.assertEqual(self.answer("check")["problems"], [])
        schema = self.root / "SchemaGen/schema/2/schema.pbtxt"
        times = os.stat(schema).st_atime_ns, os.stat(schema).st_mtime_ns
        schema.write_text(schema.read_text().replace("feature", "FEATURE", 1))
        os.utime(schema, ns=times)
        # As large and as old as it was, but changed just now.
        for flags in ((), ("--full",)):
            found = self.metadata("check", *flags, output="json")
            self.assertEqual(found.returncode, 1, found.stderr)
            [problem] = json.loads(found.stdout)["problems"]
            self.assertEqual((problem["kind"], problem["id"]), ("FILES", 2))
        schema.unlink()
        self.assertEqual(self.metadata("check").returncode, 1)
        self.assertEqual(self.metadata("check", 2).returncode, 1)
        self.ok(self.metadata("check", 1))

    def test_check_finds_rows_that_point_at_nothing(self):
        with sqlite3.connect(self.db) as connection:
            connection.execute("INSERT INTO Association (context_id, execution_id) VALUES (1, 77)")
        found = self.metadata("check")
        self.assertEqual(found.returncode, 1)
        self.ok(self.metadata("check", "--files-only"))
        self.assertIn("DANGLING", found.stdout)
        self.assertIn("execution_id 77", found.stdout)

    def test_delete(self):
        self.assert_refused(self.metadata("delete", "artifact", 2), 1, "execution 2", "--break-lineage")
        self.assertTrue(self.answer("delete", "artifact", 2, "execution", 2, "--dry-run")["dry_run"])
        self.assertEqual(self.rows("Artifact"), 2)
        gone = self.answer("delete", "artifact", 2, "execution", 2)
        self.assertEqual((gone["artifacts"], gone["executions"], gone["events"]), (1, 1, 2))
        self.assertEqual(self.rows("Artifact"), 1)
        self.ok(self.metadata("check"))
        self.assert_refused(self.metadata("delete", "model", 1), 2, "'model'")
        self.assert_refused(self.metadata("delete", "artifact"), 2, "ID")

    # --- backup, export, load ---

    def test_backup(self):
        copy = self.dir / "copy.db"
        self.ok(self.metadata("backup", copy))
        with sqlite3.connect(copy) as connection:
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(connection.execute("SELECT count(*) FROM Execution").fetchone(), (2,))
        self.assert_refused(self.metadata("backup", copy), 4, "copy.db", "--force")
        self.ok(self.metadata("backup", copy, "--force"))
        self.assert_refused(self.metadata("backup", self.dir / "none" / "x.db"), 3, "no folder")
        self.assert_refused(self.metadata("backup", self.root), 4, "folder")
        self.assertEqual(self.leftovers(), [])
        self.assertEqual([n for n in os.listdir(self.dir) if n.startswith("copy.db")], ["copy.db"])

    def test_an_export_loads_and_exports_as_the_same(self):
        text = self.ok(self.metadata("export")).stdout
        file = self.dir / "export.jsonl"
        self.ok(self.metadata("export", file))
        self.assertEqual(file.read_text(), text)
        self.assert_refused(self.metadata("export", file), 4, "--force")
        new = self.dir / "new.db"
        self.ok(self.metadata("load", file, db=new))
        self.assertEqual(self.ok(self.metadata("export", "-", db=new)).stdout, text)
        self.assert_refused(self.metadata("load", file, db=new), 1, "not empty")
        for line in text.splitlines():
            self.assertEqual(len(json.loads(line)), 1)

    def test_load_reads_standard_input(self):
        text = self.ok(self.metadata("export")).stdout
        new = self.dir / "new.db"
        loaded = subprocess.run(self.command("metadata", "load", "-", **self.where(new)), input=text, text=True,
                                capture_output=True, env=workspace.ENVIRONMENT, timeout=60)
        self.ok(loaded)
        self.assertEqual(self.ok(self.metadata("export", db=new)).stdout, text)

    def test_load_refuses_what_is_not_an_export(self):
        new = self.dir / "new.db"
        half = self.dir / "half.jsonl"
        half.write_text("".join(self.ok(self.metadata("export")).stdout.splitlines(True)[:-1]))
        self.assert_refused(self.metadata("load", half, db=new), 2, "cut off")
        self.assert_refused(self.metadata("load", self.db, db=new), 2, "line 1")
        self.assert_refused(self.metadata("load", self.dir / "none", db=new), 3, "none")
        self.assertEqual(self.answer("list", "artifacts", db=new), [])

    # --- no room, no patience ---

    def test_a_full_disk_leaves_nothing_behind(self):
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        db = self.dir / "large.db"
        large = self.dir / "large.jsonl"
        large.write_text(export_of(2000))
        self.ok(self.metadata("load", large, db=db))
        for verb, file in (("backup", self.dir / "copy.db"), ("export", self.dir / "export.jsonl")):
            refused = subprocess.run(self.command("metadata", verb, file, **self.where(db)), text=True,
                                     capture_output=True, env=workspace.ENVIRONMENT, timeout=60, preexec_fn=no_room)
            self.assertIn(refused.returncode, (1, 75), refused.stderr)
            self.assertTrue(refused.stderr.startswith("rekindle: cannot "), refused.stderr)
            self.assertFalse(file.exists())
        self.assertEqual(self.leftovers(), [])
        with open("/dev/full", "w") as full:
            refused = subprocess.run(self.command("metadata", "export", **self.where(self.db)), text=True,
                                     stdout=full, stderr=subprocess.PIPE, env=workspace.ENVIRONMENT, timeout=60)
        self.assertEqual(refused.returncode, 75)
        self.assertIn("standard output", refused.stderr)


class FileTest(Verbs, workspace.Workspace):

    def where(self, db):
        return {"db": db}


class ServerTest(Verbs, workspace.Workspace):

    def setUp(self):
        self.servers = {}
        super().setUp()

    def where(self, db):
        if db not in self.servers:
            server = subprocess.Popen(self.command("serve", db=db, host="127.0.0.1", grpc_port=0), text=True,
                                      stdout=subprocess.PIPE, env=workspace.ENVIRONMENT)
            self.addCleanup(self.stop, server)
            line = server.stdout.readline()
            self.assertTrue(line.startswith("listening on grpc://"), line)
            self.servers[db] = server, line.split()[-1]
        return {"metadata": self.servers[db][1]}

    def stop(self, server):
        server.terminate()
        server.wait(timeout=60)
        server.stdout.close()

    def test_ctrl_c_leaves_nothing_behind(self):
        flags = self.where(self.db)
        server = self.servers[self.db][0]
        for verb in ("backup", "export"):
            server.send_signal(signal.SIGSTOP)
            try:
                waiting = subprocess.Popen(self.command("metadata", verb, self.dir / "copy", **flags),
                                           stderr=subprocess.PIPE, env=workspace.ENVIRONMENT)
                deadline = time.monotonic() + 60
                while not self.leftovers() and time.monotonic() < deadline:
                    self.assertIsNone(waiting.poll())
                self.assertEqual(len(self.leftovers()), 1)
                waiting.send_signal(signal.SIGINT)
                self.assertEqual(waiting.wait(timeout=60), 130)
                waiting.stderr.close()
            finally:
                server.send_signal(signal.SIGCONT)
            self.assertEqual(self.leftovers(), [])
            self.assertFalse((self.dir / "copy").exists())

    def test_a_server_that_is_not_there(self):
        flags = {"metadata": "grpc://127.0.0.1:1"}
        for verb in (("backup", self.dir / "x"), ("export",), ("list", "artifacts"), ("check",)):
            self.assert_refused(self.run_command("metadata", *verb, **flags), 75, "127.0.0.1:1")
        self.assertEqual(self.leftovers(), [])


if __name__ == "__main__":
    workspace.main()

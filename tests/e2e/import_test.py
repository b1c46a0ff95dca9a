"""rekindle import: files that are there already become an artifact."""

import sqlite3

import workspace

USAGE, NOT_FOUND = 2, 3


class ImportTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.data = self.dir / "data"
        for split in ("train", "eval"):
            (self.data / ("Split-" + split)).mkdir(parents=True)
            (self.data / ("Split-" + split) / "a").write_text(split)

    def imported(self, run, **flags):
        report = self.report("import", **{"run_id": run, "type": "Examples", "uri": self.data, **flags})
        return report["state"], self.query("get", "artifact", report["outputs"]["result"]["id"]), report

    def test_the_artifact_is_live_external_and_where_it_was(self):
        state, artifact, report = self.imported("r1", property="span=3", custom_property="owner=birds", name="first")
        self.assertEqual(state, "COMPLETE")
        self.assertEqual((artifact["uri"], artifact["state"], artifact["name"]), (str(self.data), "LIVE", "first"))
        self.assertEqual(artifact["properties"], {"span": 3, "split_names": '["train", "eval"]'})
        custom = artifact["custom_properties"]
        self.assertEqual((custom["is_external"], custom["owner"], custom["tfx_version"]), (1, "birds", "1.21.0"))
        self.assertRegex(custom["digest"], "^sha256:")
        execution = self.query("get", "execution", report["execution_id"])
        self.assertEqual(execution["type"], "tfx.dsl.components.common.importer.Importer")
        self.assertEqual([execution["custom_properties"][n] for n in ("artifact_uri", "reimport", "output_key")],
                         [str(self.data), 0, "result"])
        [event] = execution["events"]
        self.assertEqual((event["type"], event["path"]), ("OUTPUT", ["result", 0]))
        self.assertEqual(sorted(p.name for p in self.data.iterdir()), ["Split-eval", "Split-train"])

    def test_the_same_content_is_the_same_artifact_again(self):
        _, first, _ = self.imported("r1")
        state, again, _ = self.imported("r2")
        self.assertEqual((state, again["id"]), ("CACHED", first["id"]))
        self.assertEqual(self.rows("Artifact"), 1)
        # A slash behind a folder is no other place.
        state, again, _ = self.imported("r3", uri="%s/" % self.data)
        self.assertEqual((state, again["id"]), ("CACHED", first["id"]))

    def test_what_differs_is_another_artifact(self):
        _, first, _ = self.imported("r1")
        (self.data / "Split-train" / "a").write_text("other")
        self.assertEqual(self.imported("r2")[0], "COMPLETE")
        self.assertEqual(self.imported("r3", property="span=4")[0], "COMPLETE")
        self.assertEqual(self.imported("r4", custom_property="k=v")[0], "COMPLETE")
        self.assertEqual(self.imported("r5", type="Table")[0], "COMPLETE")
        self.assertEqual(self.rows("Artifact"), 5)

    def test_reimport_makes_a_new_one(self):
        _, first, _ = self.imported("r1")
        state, again, report = self.imported("r2", reimport="true")
        self.assertEqual(state, "COMPLETE")
        self.assertGreater(again["id"], first["id"])
        self.assertEqual(self.query("get", "execution", report["execution_id"])["custom_properties"]["reimport"], 1)

    def test_a_step_uses_what_was_imported(self):
        _, data, _ = self.imported("r1")
        result = self.run_command("exec", "--input=data=Examples:run:Importer.result", "--output=o=Text", "--format=json",
                                  "--pipeline=penguin", "--run-id=r1", "--node=N", "--db=%s" % self.db,
                                  "--pipeline-root=%s" % self.root, "--", "sh", "-c",
                                  "cat {{inputs.data.uri}}/Split-train/a > {{outputs.o.uri}}/a")
        self.ok(result)
        self.assertIn('"id": %d' % data["id"], result.stdout)

    def consume(self, reference, run="r2", **flags):
        """A step that takes the imported examples."""
        return self.step("resolve", run_id=run, input="data=Examples:%s" % reference, **flags)

    def test_what_was_imported_is_taken_from_its_place_and_no_other(self):
        _, data, _ = self.imported("r1")
        self.ok(self.consume("latest"))
        self.ok(self.consume("id:%d" % data["id"], run="r3"))
        other = self.dir / "other"
        other.mkdir()
        with sqlite3.connect(self.db) as connection:
            connection.execute("UPDATE Artifact SET uri = ? WHERE id = ?", (str(other), data["id"]))
        self.assert_refused(self.consume("id:%d" % data["id"], run="r4"), 1, other, "--artifact-root=DIR")

    def test_an_import_of_another_pipeline_root_must_be_allowed_or_imported_again(self):
        _, data, _ = self.imported("r1")
        elsewhere = {"pipeline_root": self.dir / "root2"}
        self.assert_refused(self.consume("id:%d" % data["id"], **elsewhere), 1, "--artifact-root=DIR")
        self.ok(self.consume("id:%d" % data["id"], run="r3", artifact_root=self.dir / "data", **elsewhere))
        self.assertEqual(self.imported("r4", **elsewhere)[0], "CACHED")
        self.ok(self.consume("id:%d" % data["id"], run="r5", **elsewhere))

    def test_a_link_that_leads_out_of_what_is_imported_is_refused(self):
        secret = self.dir / "secret"
        secret.write_text("s")
        (self.data / "Split-train" / "link").symlink_to(secret)
        result = self.step("import", type="Examples", uri=self.data)
        self.assert_refused(result, 1, "is a link to %s" % secret)
        self.assertFalse(self.db.exists())
        self.ok(self.step("import", type="Examples", uri=self.data, artifact_root=self.dir))

    def test_a_single_file(self):
        file = self.dir / "weights.h5"
        file.write_text("w")
        state, artifact, _ = self.imported("r1", type="Weights", uri=file)
        self.assertEqual((state, artifact["uri"], artifact["properties"]), ("COMPLETE", str(file), {}))

    def test_mistakes(self):
        cases = (({"uri": self.dir / "none"}, NOT_FOUND, "there is no file or folder"),
                 ({"uri": "s3://bucket/x"}, USAGE, "s3:// is not understood"),
                 ({"uri": "gs://bucket/x"}, USAGE, "gs:// is not understood"),
                 ({"property": "spam=3"}, USAGE, "did you mean 'span'"),
                 ({"property": "span=many"}, USAGE, "is INT; 'many' is not"),
                 ({"type": "Model", "property": "span=1"}, USAGE, "it declares none"),
                 ({"type": "examples"}, USAGE, "did you mean Examples"),
                 ({"type": ""}, USAGE, "--type is missing"),
                 ({"uri": ""}, USAGE, "--uri is missing"))
        for flags, code, fragment in cases:
            with self.subTest(flags=flags):
                result = self.step("import", **{"type": "Examples", "uri": self.data, **flags})
                self.assert_refused(result, code, fragment)
        self.assertFalse(self.db.exists())


if __name__ == "__main__":
    workspace.main()

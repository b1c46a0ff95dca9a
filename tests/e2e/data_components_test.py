"""example-gen, statistics-gen and schema-gen as commands: spans and versions, splits, what they say, what they refuse."""

import gzip
import json
import pathlib

import workspace

USAGE = 2
NOT_FOUND = 3


class ExampleGenTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.data = self.dir / "data"

    def write(self, name, rows, first=0):
        """A CSV file of so many rows."""
        path = self.data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "n,word\n" + "".join("%d,w%d\n" % (i, i % 3) for i in range(first, first + rows))
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(text.encode()))
        else:
            path.write_text(text)

    def generate(self, *words, run="r1", **flags):
        """Runs example-gen; its artifact's custom properties and its execution's."""
        flags = {"pipeline": "p", "db": self.db, "pipeline_root": self.root, "run_id": run, "output": "json", **flags}
        report = json.loads(self.ok(self.run_command("example-gen", *words, **flags)).stdout)
        execution = self.query("get", "execution", report["execution_id"])
        return report["outputs"]["examples"]["custom_properties"], execution["custom_properties"]

    def refuse(self, exit_code, *fragments, words=(), **flags):
        flags = {"pipeline": "p", "db": self.db, "pipeline_root": self.root, **flags}
        self.assert_refused(self.run_command("example-gen", *words, **flags), exit_code, *fragments)
        self.assertFalse(self.db.exists())

    def test_the_latest_span_and_version_are_recorded_as_tfx_does(self):
        self.write("span-1/v1/a.csv", 3)
        self.write("span-2/v1/a.csv", 4)
        self.write("span-2/v2/a.csv", 5)
        self.write("span-2/v2/b.csv.gz", 6, first=100)
        pattern = self.data / "span-{SPAN}" / "v{VERSION}" / "*"
        artifact, execution = self.generate(input=pattern)
        self.assertEqual((artifact["span"], artifact["version"]), (2, 2))
        self.assertEqual(artifact["num_examples.train"] + artifact["num_examples.eval"], 11)
        self.assertEqual((execution["span"], execution["version"]), (2, 2))
        self.assertEqual(execution["input_base"], str(self.data))
        self.assertEqual(json.loads(execution["input_config"]),
                         {"splits": [{"name": "single_split", "pattern": "span-2/v2/*"}]})
        self.assertNotIn("range_config", execution)

        older, execution = self.generate(run="r2", input=pattern, span=2, version=1)
        self.assertEqual((older["span"], older["version"]), (2, 1))
        self.assertEqual(json.loads(execution["range_config"]),
                         {"static_range": {"start_span_number": 2, "end_span_number": 2}})

    def test_splits_of_the_input_stay(self):
        self.write("train/1.csv", 7)
        self.write("train/2.csv", 2, first=50)
        self.write("eval/1.csv", 4)
        artifact, execution = self.generate("--input-split", "train=train/*.csv", "--input-split", "eval=eval/*.csv",
                                            input=self.data)
        self.assertEqual((artifact["num_examples.train"], artifact["num_examples.eval"]), (9, 4))
        self.assertEqual(execution["output_config"], "{}")
        self.assertEqual(len(artifact["input_fingerprint"].splitlines()), 2)

    def test_named_ratios(self):
        self.write("a.csv", 1000)
        artifact, execution = self.generate("--split", "train=8", "--split", "eval=1", "--split", "test=1",
                                            input=self.data)
        counts = [artifact["num_examples." + name] for name in ("train", "eval", "test")]
        self.assertEqual(sum(counts), 1000)
        self.assertTrue(all(abs(n - share) < 50 for n, share in zip(counts, (800, 100, 100))), counts)
        splits = json.loads(execution["output_config"])["split_config"]["splits"]
        self.assertEqual(splits, [{"name": "train", "hash_buckets": 8}, {"name": "eval", "hash_buckets": 1},
                                  {"name": "test", "hash_buckets": 1}])

    def test_what_cannot_be_is_refused_before_anything_is_recorded(self):
        self.write("a.csv", 3)
        file = self.data / "a.csv"
        self.refuse(USAGE, "--input is missing")
        self.refuse(USAGE, "share", "train=x", words=["--split", "train=x"], input=file)
        self.refuse(USAGE, "share of 0", words=["--split", "train=0"], input=file)
        self.refuse(USAGE, "two splits are called 'a'", words=["--split", "a=1", "--split", "a=2"], input=file)
        self.refuse(USAGE, "'a/b' cannot be the name", words=["--split", "a/b=1"], input=file)
        self.refuse(USAGE, "split already", words=["--split", "a=1", "--input-split", "b=*.csv"], input=self.data)
        self.refuse(USAGE, "neither 'csv' nor 'tfrecord'", input=file, input_format="parquet")
        self.refuse(USAGE, "a span is asked for", input=file, span=1)
        self.refuse(USAGE, "without {SPAN}", input=self.data / "{VERSION}.csv")
        self.refuse(NOT_FOUND, "leading zeros", input=self.data / "{SPAN}.csv")

    def test_a_partition_feature_must_be_there_and_whole(self):
        self.data.mkdir()
        path = self.data / "a.csv"
        path.write_text("user,weight\n1,0.5\n,1.5\n")
        for feature, fragments in (("usr", ("no column 'usr'", "did you mean 'user'")), ("weight", ("holds fractions",)),
                                   ("user", ("a.csv:3", "'user' is missing"))):
            result = self.step("example-gen", run_id=feature, input=path, partition_feature=feature)
            self.assert_refused(result, 1, *fragments)

    def test_a_dry_run_writes_nothing(self):
        self.write("a.csv", 3)
        flags = dict(pipeline="p", db=self.db, pipeline_root=self.root, input=self.data)
        self.ok(self.run_command("example-gen", "--dry-run", **flags))
        self.assertFalse(self.db.exists())
        self.assertFalse(self.root.exists())


class StatisticsAndSchemaTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.report("example-gen", run_id="r1", input=workspace.PENGUINS, null_value="NA")
        self.statistics = self.report("statistics-gen", run_id="r1")["outputs"]["statistics"]

    def show(self, *words, **flags):
        return self.run_command("statistics", "show", *words, db=self.db, **flags)

    def test_statistics_are_shown_as_tables_json_and_a_page(self):
        table = self.ok(self.show(pipeline="penguin")).stdout
        self.assertIn("split train: ", table)
        self.assertRegex(table, r"body_mass_g +INT .*[▁▂▃▄▅▆▇█]")
        self.assertRegex(table, r"species +STRING .* 3 .*Adelie")

        shown = json.loads(self.ok(self.show("id:%d" % self.statistics["id"], output="json")).stdout)
        self.assertEqual(sorted(shown), ["eval", "train"])
        examples = sum(int(split["num_examples"]) for split in shown.values())
        self.assertEqual(examples, 344)

        page = self.ok(self.show(pipeline="penguin", output="html")).stdout
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertNotIn("<script", page)
        self.assertNotRegex(page, r"(src|href)=\"(?!#)")
        self.assertEqual(page.count("<svg"), 2 * page.count(">median<"))

    def test_a_figure_of_no_number_is_not_shown_as_zero(self):
        csv = self.dir / "gaps.csv"
        csv.write_text("a,empty,nan,y\n" + "1,,nan,u\n2,,nan,v\n" * 9)
        self.report("example-gen", run_id="gaps", input=csv)
        self.report("statistics-gen", run_id="gaps")
        table = self.ok(self.show(pipeline="penguin")).stdout
        for name in ("empty", "nan"):
            [*rows] = (line for line in table.splitlines() if line.startswith(name))
            self.assertTrue(rows)
            for row in rows:
                columns = row.split()
                self.assertEqual([columns[i] for i in (4, 5, 7, 8, 9)], ["-"] * 5, row)

    def test_what_is_not_there_is_said(self):
        self.assert_refused(self.show(pipeline="other"), NOT_FOUND, "no usable ExampleStatistics", "statistics-gen")
        self.assert_refused(self.step("statistics-gen", run_id="r2", exclude_splits="tset"), 1, "no split 'tset'", "train, eval")
        self.assert_refused(self.step("schema-gen", run_id="r2", statistics="latest", examples="latest"), USAGE, "both given")

    def test_a_split_can_be_left_out(self):
        statistics = self.report("statistics-gen", run_id="r2", exclude_splits="eval")["outputs"]["statistics"]
        self.assertEqual(statistics["properties"]["split_names"], '["train"]')
        self.assertEqual([path.name for path in pathlib.Path(statistics["uri"]).iterdir()], ["Split-train"])

    def test_an_edited_schema_wins_when_it_is_wired(self):
        inferred = self.report("schema-gen", run_id="r1", statistics="latest")["outputs"]["schema"]
        edited = self.dir / "edited"
        edited.mkdir()
        text = (pathlib.Path(inferred["uri"]) / "schema.pbtxt").read_text()
        (edited / "schema.pbtxt").write_text(text.replace('value: "Biscoe"', 'value: "Biscoe"\n  value: "Elsewhere"'))
        imported = self.report("import", run_id="r1", type="Schema", uri=edited)["outputs"]["result"]
        # A newer inferred one does not matter to a step that names the edited one.
        self.report("schema-gen", run_id="r2", statistics="latest", no_cache="true")
        model = self.train("r2", schema="id:%d" % imported["id"], train_steps=5)
        self.assertEqual([schema["id"] for schema in model["inputs"]["schema"]], [imported["id"]])
        [given] = self.root.glob("Trainer/.system/executor_execution/*/attempt-1/executor_input.json")
        self.assertEqual(json.loads(given.read_text())["schema_path"], str(edited / "schema.pbtxt"))


if __name__ == "__main__":
    workspace.main()

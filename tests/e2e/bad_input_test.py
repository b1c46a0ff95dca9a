"""Mistakes a user makes: a clear sentence, the right exit code, nothing half-written."""

import pathlib
import re
import sqlite3

import workspace

FAILED, USAGE, NOT_FOUND, CONFLICT = 1, 2, 3, 4


class CsvTest(workspace.Workspace):

    def gen(self, text, **flags):
        self.csv = self.dir / "data.csv"
        self.csv.write_text(text)
        return self.step("example-gen", input=self.csv, **flags)

    def assert_nothing_published(self):
        self.assertEqual(self.rows("Artifact"), 0)
        self.assertEqual(self.published("CsvExampleGen", "examples"), [])
        self.assertEqual(self.states(), ["FAILED"])

    def test_ragged_row(self):
        result = self.gen("a,b\n1,2\n1,2,3\n")
        self.assert_refused(result, FAILED, "%s:3" % self.csv, "3 fields, the header has 2")
        self.assert_nothing_published()

    def test_empty_file(self):
        self.assert_refused(self.gen(""), FAILED, self.csv, "is empty")
        self.assert_nothing_published()

    def test_header_only(self):
        self.assert_refused(self.gen("a,b\n"), FAILED, self.csv, "no rows")
        self.assert_nothing_published()

    def test_missing_file_writes_no_record_at_all(self):
        result = self.step("example-gen", input=self.dir / "none.csv")
        self.assert_refused(result, NOT_FOUND, "none.csv")
        self.assertFalse(self.db.exists())
        self.assertFalse(self.root.exists())

    def test_a_folder_without_csv(self):
        empty = self.dir / "empty"
        empty.mkdir()
        self.assert_refused(self.step("example-gen", input=empty), NOT_FOUND, "no .csv file", empty)

    def test_files_with_different_headers(self):
        folder = self.dir / "data"
        folder.mkdir()
        (folder / "1.csv").write_text("a,b\n1,2\n")
        (folder / "2.csv").write_text("a,c\n1,2\n")
        self.assert_refused(self.step("example-gen", input=folder), FAILED, "2.csv:1", "differs")
        self.assert_nothing_published()

    def test_no_label_column(self):
        lines = [line.split(",", 1)[1] for line in workspace.PENGUINS.read_text().splitlines()]
        csv = self.dir / "unlabelled.csv"
        csv.write_text("\n".join(lines) + "\n")
        self.prepare(csv=csv)
        result = self.step("train", label_key="species", train_steps=10)
        self.assert_refused(result, FAILED, "species", "bill_length_mm")
        self.assertEqual(self.published("Trainer", "model"), [])
        self.assertEqual(self.query("list", "artifacts", "--type=Model"), [])
        self.assertEqual(self.states()[-1], "FAILED")

    def test_a_row_without_label(self):
        header, first, *rows = workspace.PENGUINS.read_text().splitlines()
        csv = self.dir / "gap.csv"
        csv.write_text("\n".join([header, *rows, "NA," + first.split(",", 1)[1]]) + "\n")
        self.prepare(csv=csv)
        splits = [path.parent.name for path in (self.root / "CsvExampleGen").rglob("*.gz")]
        self.assertEqual(sorted(splits), ["Split-eval", "Split-train"])
        result = self.step("train", label_key="species", train_steps=10)
        self.assert_refused(result, FAILED, "data_tfrecord-00000-of-00001.gz", "record ", "species")
        self.assertEqual(self.published("Trainer", "model"), [])


class StoreTest(workspace.Workspace):

    def test_missing_database(self):
        result = self.run_command("metadata", "list", "artifacts", db=self.db)
        self.assert_refused(result, NOT_FOUND, self.db)
        self.assertFalse(self.db.exists())

    def test_corrupt_database_is_left_as_it_is(self):
        garbage = b"SQLite format 3\0" + b"\xff" * 5000
        self.db.write_bytes(garbage)
        result = self.step("example-gen", input=workspace.PENGUINS)
        self.assert_refused(result, FAILED, self.db)
        self.assertEqual(self.db.read_bytes(), garbage)
        self.assertFalse(self.root.exists())

    def test_a_file_that_is_no_database_is_left_as_it_is(self):
        self.db.write_text("my shopping list")
        result = self.step("example-gen", input=workspace.PENGUINS)
        self.assert_refused(result, FAILED, self.db)
        self.assertEqual(self.db.read_text(), "my shopping list")

    def test_a_database_of_another_program_is_left_as_it_is(self):
        with sqlite3.connect(self.db) as connection:
            connection.execute("CREATE TABLE recipes (name TEXT)")
        before = self.db.read_bytes()
        result = self.step("example-gen", input=workspace.PENGUINS)
        self.assert_refused(result, FAILED, self.db)
        self.assertEqual(self.db.read_bytes(), before)

    def test_unwritable_output_root(self):
        (self.dir / "file").write_text("in the way")
        result = self.step("example-gen", input=workspace.PENGUINS, pipeline_root=self.dir / "file" / "root")
        self.assert_refused(result, FAILED, self.dir / "file" / "root")
        self.assert_recorded("OUTPUT_UNWRITABLE")

    def test_unknown_store_scheme(self):
        result = self.run_command("metadata", "list", "artifacts", metadata="postgres://x")
        self.assert_refused(result, USAGE, "--metadata", "postgres://x")


class TrainTest(workspace.Workspace):

    def train_result(self, **flags):
        return self.step("train", **{"label_key": "species", "train_steps": 10, **flags})

    def test_negative_steps(self):
        self.assert_refused(self.train_result(train_steps=-1), USAGE, "--train-steps is -1")
        self.assertFalse(self.db.exists())

    def test_negative_steps_in_json(self):
        result = self.step("train", label_key="species", train_args='{"num_steps": -1}')
        self.assert_refused(result, USAGE, "--train-args", "num_steps is -1")

    def test_no_examples_yet(self):
        self.assert_refused(self.train_result(), NOT_FOUND, "input 'examples'", "penguin")
        self.assert_recorded("INPUT_NOT_FOUND")

    def test_missing_split(self):
        self.prepare()
        self.assert_refused(self.train_result(train_splits="test"), FAILED, "no split 'test'", "train, eval")
        self.assert_recorded("INPUT_UNUSABLE")
        self.assertEqual(self.published("Trainer", "model"), [])

    def assert_without_trainer(self, verb):
        result = self.step(verb, label_key="species", trainer="/no/trainer")
        self.assert_refused(result, FAILED, "/no/trainer", "--trainer or REKINDLE_TRAINER names the program",
                            "in a container, use the image rekindle:trainer)")
        self.assert_recorded("CHILD_CANNOT_START")

    def test_without_a_trainer_it_names_the_image_that_has_one(self):
        self.prepare()
        self.assert_without_trainer("train")
        (self.dir / "model").mkdir()
        self.report("import", type="Model", uri=self.dir / "model")
        self.assert_without_trainer("evaluate")

    def test_unknown_setting_gets_the_nearest_name(self):
        self.prepare()
        result = self.train_result(custom_config='{"batch_sise": 8}')
        self.assert_refused(result, FAILED, "batch_sise", "batch_size")

    def test_custom_config_that_is_no_object(self):
        self.assert_refused(self.train_result(custom_config="[1]"), USAGE, "--custom-config", "[1]")

    def test_missing_at_file(self):
        result = self.train_result(train_args="@%s" % (self.dir / "none.json"))
        self.assert_refused(result, NOT_FOUND, "--train-args", "none.json")

    def test_trainer_that_does_not_exist(self):
        self.prepare()
        self.assert_refused(self.train_result(trainer="/no/such/trainer"), FAILED, "/no/such/trainer", "--trainer")
        self.assertEqual(self.states()[-1], "FAILED")

    def foreign_trainer(self, script):
        """A trainer that does what ours does, and then the script on the model, in $model."""
        trainer = self.dir / "trainer"
        trainer.write_text('#!/bin/sh\n"%s" "$@" || exit\nmodel=$(find "%s" -path "*Format-Serving")\n%s\n' % (
            workspace.BIN / "rekindle-trainer", self.root, script))
        trainer.chmod(0o755)
        return trainer

    def test_a_model_that_does_not_load(self):
        self.prepare()
        broken = self.foreign_trainer('truncate -s 8 "$model"/variables/variables.data-*')
        self.assert_refused(self.train_result(trainer=broken), FAILED, "cannot be served", "does not load")
        self.assert_recorded("INVALID_OUTPUT")
        self.assertEqual(self.published("Trainer", "model"), [])

    def test_a_model_of_another_trainer_that_is_fine(self):
        self.prepare()
        self.ok(self.train_result(trainer=self.foreign_trainer("true")))

    def test_corrupt_examples_are_named(self):
        self.prepare()
        shard = next((self.root / "CsvExampleGen").rglob("Split-train/*.gz"))
        data = bytearray(shard.read_bytes())
        data[len(data) // 2] ^= 0xFF
        shard.write_bytes(data)
        # Not usable as it was published, and so not chosen.
        self.assert_refused(self.train_result(), NOT_FOUND, "its files changed")

    def test_unknown_base_model(self):
        self.prepare()
        self.assert_refused(self.train_result(base_model="id:99"), NOT_FOUND, "base_model", "id 99")
        self.assert_refused(self.train_result(base_model="newest"), USAGE, "--base-model", "newest")


class UsageTest(workspace.Workspace):

    def test_a_gpu_that_is_required_where_tensorflow_knows_none(self):
        self.prepare()
        result = self.step("train", run_id="r1", label_key="species", require_gpu="true")
        self.assert_refused(result, FAILED, "a GPU is required, and none was found: this TensorFlow is built without CUDA")
        self.assert_recorded("NO_GPU")

    def test_mistakes_of_usage(self):
        cases = {
            ("trian",): "did you mean 'train'",
            ("metadata", "lits"): "did you mean 'metadata list'",
            ("train", "--pipline=x"): "did you mean --pipeline",
            ("train", "extra"): "unexpected argument 'extra'",
            ("train",): "--pipeline is missing",
            ("train", "--pipeline=a/b"): "must not hold a slash",
            ("example-gen", "--pipeline=p"): "--input is missing",
            ("metadata", "get", "artifact"): "expected",
            ("metadata", "get", "artifact", "x", "--db=y"): "y",
        }
        for arguments, expected in cases.items():
            with self.subTest(arguments=arguments):
                result = self.run_command(*arguments)
                self.assert_refused(result, NOT_FOUND if "--db=y" in arguments else USAGE, expected)

    def test_every_command_has_help_with_an_example(self):
        listed = re.findall(r"^  (\S+(?: \S+)?) {2,}\S", self.ok(self.run_command("--help")).stdout, re.MULTILINE)
        self.assertGreater(len(listed), 20)
        for command in ["", *listed]:
            with self.subTest(command=command):
                result = self.ok(self.run_command(*command.split(), "--help"))
                self.assertIn("Usage: rekindle %s" % command, result.stdout)
                self.assertIn("Example: rekindle", result.stdout)

    def test_version(self):
        self.assertRegex(self.ok(self.run_command("--version")).stdout, r"^rekindle \d+\.\d+\.\d+$")

    def test_unknown_ids_are_not_found(self):
        self.prepare()
        for kind in ("artifact", "execution", "context"):
            result = self.run_command("metadata", "get", kind, 999, db=self.db)
            self.assert_refused(result, NOT_FOUND, "no %s with id 999" % kind)
        self.assert_refused(self.run_command("metadata", "lineage", 999, db=self.db), NOT_FOUND, "999")
        result = self.run_command("metadata", "latest", "Model", db=self.db, pipeline="penguin")
        self.assert_refused(result, NOT_FOUND, "no usable Model")


if __name__ == "__main__":
    workspace.main()

"""Our records have the shape of TFX 1.21's own, field by field, but for what docs/differences-from-tfx.md lists."""

import fnmatch
import json
import re
import shutil
import sqlite3

import tfx_records
import workspace

GOLDEN = workspace.REPO / "tests" / "golden"
DIFFERENCES = workspace.REPO / "docs" / "differences-from-tfx.md"
NODES = ("CsvExampleGen", "StatisticsGen", "SchemaGen", "Trainer", "Pusher")
LISTED_NODES = ("CsvExampleGen", "Trainer", "Pusher")  # whose folders TFX's listing has


def documented_differences():
    """(record pattern, what pattern) of each row of the document's tables."""
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| ", DIFFERENCES.read_text(), re.MULTILINE)
    assert rows, "no table in %s" % DIFFERENCES
    return rows


def golden_store(name):
    connection = sqlite3.connect(":memory:")
    connection.executescript((GOLDEN / name / "metadata_dump.sql").read_text())
    return tfx_records.StoreFacts(connection).facts


def tfx_facts():
    """What both runs of TFX say of the nodes that we have too; the simpler run wins."""
    return tfx_records.only_nodes({**golden_store("tfx-1.21-shipped"), **golden_store("tfx-1.21-simple")}, NODES)


def tfx_folders():
    listing = (GOLDEN / "tfx-1.21-simple" / "pipeline_root_listing.txt").read_text().splitlines()
    prefix = "pipelines/penguin-simple/"
    return tfx_records.folder_facts([p[len(prefix):] for p in listing if p.startswith(prefix)], LISTED_NODES)


class TfxRecordsTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        data = self.dir / "data"  # a folder, as TFX wants it
        data.mkdir()
        shutil.copy(workspace.PENGUINS, data)
        self.prepare("r1", csv=data)
        self.train("r1", train_steps=100, eval_steps=5)
        self.report("push", run_id="r1", blessing="none", destination=self.dir / "serving")

    def prepare(self, run="r1", csv=workspace.PENGUINS):
        """The steps before training, wired as TFX wires them."""
        self.report("example-gen", run_id=run, input=csv, null_value="NA")
        self.report("statistics-gen", run_id=run)
        self.report("schema-gen", run_id=run, statistics="latest")

    def run_facts(self, run):
        with sqlite3.connect(self.db) as connection:
            return tfx_records.StoreFacts(connection, run).facts

    def folders(self):
        return tfx_records.folder_facts([str(p.relative_to(self.root)) for p in self.root.rglob("*")], LISTED_NODES)

    def test_every_field_is_as_tfx_writes_it_or_documented(self):
        found = tfx_records.difference(tfx_facts(), self.run_facts("r1"))
        found.update(tfx_records.difference(tfx_folders(), self.folders()))
        documented = documented_differences()
        unexplained = ["%s: %s: TFX has %r, we have %r" % (*fact, *values) for fact, values in found.items()
                       if not any(fnmatch.fnmatchcase(fact[0], record) and fnmatch.fnmatchcase(fact[1], what)
                                  for record, what in documented)]
        self.assertEqual(unexplained, [], "\n" + "\n".join(unexplained))
        stale = [row for row in documented
                 if not any(fnmatch.fnmatchcase(record, row[0]) and fnmatch.fnmatchcase(what, row[1])
                            for record, what in found)]
        self.assertEqual(stale, [], "documented differences that are none")

    def test_a_second_run_differs_from_the_first_by_its_warm_start_alone(self):
        self.prepare("r2", csv=self.dir / "data")
        self.train("r2", train_steps=100, eval_steps=5)
        self.report("push", run_id="r2", blessing="none", destination=self.dir / "serving")
        found = tfx_records.difference(self.run_facts("r1"), self.run_facts("r2"))
        trainer = {what for record, what in found if record == "execution Trainer"}
        self.assertLessEqual({"event INPUT base_model", "custom_property warm_started_from"}, trainer)
        others = [fact for fact in found if fact[0].startswith(("type", "context"))]
        self.assertEqual(others, [])

    def test_custom_config_is_written_as_python_writes_json(self):
        report = self.train("r2", custom_config='{"seed":3,"hidden_units":[4,4]}')
        stored = self.query("get", "execution", report["execution_id"])["custom_properties"]["custom_config"]
        self.assertEqual(stored, json.dumps({"hidden_units": [4, 4], "label_key": "species", "seed": 3}))

    def test_the_trainer_gets_the_fn_args_of_tfx(self):
        theirs = json.loads((GOLDEN / "tfx-1.21-simple" / "fn_args_dump.json").read_text())
        [path] = self.root.glob("Trainer/.system/executor_execution/*/attempt-1/executor_input.json")
        ours = json.loads(path.read_text())

        def below_root(value):
            value = re.sub(r"^.*/(CsvExampleGen|Trainer)/", r"\1/", value)
            # Ours writes into places that become the final ones by a rename.
            value = re.sub(r"Trainer/model/\.staging-(\d+)-\d+-\w+", r"Trainer/model/\1", value)
            value = re.sub(r"Trainer/\.system/stateful_working_dir/[0-9a-f]+/[0-9a-f]+/\d+/model_run", "Trainer/model_run/3", value)
            return re.sub(r"/\d+(?=/|$)", "/<id>", value)

        for name in ("train_files", "eval_files"):
            self.assertEqual([below_root(p) for p in ours[name]], [below_root(p) for p in theirs[name]])
        for name in ("serving_model_dir", "eval_model_dir", "model_run_dir"):
            self.assertEqual(below_root(ours[name]), below_root(theirs[name]))
        for name in ("train_steps", "eval_steps", "hyperparameters"):
            self.assertEqual(ours[name], theirs[name])


if __name__ == "__main__":
    workspace.main()

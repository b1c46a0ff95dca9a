"""TensorFlow reads what example-gen writes, and every row is in the split where TFX would have put it."""

import bisect
import collections
import gzip
import hashlib
import json
import os
import pathlib
import random
import string

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # pylint: disable=wrong-import-position

import workspace  # pylint: disable=wrong-import-position

COLUMNS = ("whole", "broken", "text", "sparse")


def random_cell(draw, column):
    """A cell of one of the columns, as text; one in ten is missing."""
    if draw.random() < (0.6 if column == "sparse" else 0.1):
        return ""
    if column == "broken":
        return repr(draw.gauss(0, 1000))
    if column == "text":
        return "".join(draw.choice(string.ascii_letters + ' ,"\n\r') for _ in range(draw.randrange(1, 12)))
    return str(draw.randrange(-2**62, 2**62))


def quote(cell):
    return '"%s"' % cell.replace('"', '""') if any(c in cell for c in ',"\n\r') else cell


def tfx_feature(cell, column):
    """A cell as TFX's CsvExampleGen writes it."""
    if column == "broken":
        return tf.train.Feature(float_list=tf.train.FloatList(value=[float(cell)] if cell else []))
    if column == "text":
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[cell.encode()] if cell else []))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(cell)] if cell else []))


def tfx_example(row):
    features = {name: tfx_feature(cell, name) for name, cell in zip(COLUMNS, row)}
    return tf.train.Example(features=tf.train.Features(feature=features))


def split_of(key, shares):
    """TFX's rule: the hash of the key, as a number, modulo the sum of the shares."""
    ends = [sum(n for _, n in shares[:i + 1]) for i in range(len(shares))]
    return shares[bisect.bisect(ends, int(hashlib.sha256(key).hexdigest(), 16) % ends[-1])][0]


def without_empty_lists(example):
    """The example as ours has it: a missing cell is a feature without a list."""
    for feature in example.features.feature.values():
        kind = feature.WhichOneof("kind")
        if kind and not getattr(feature, kind).value:
            feature.ClearField(kind)
    return example.SerializeToString(deterministic=True)


def records_of(folder, split):
    files = sorted((folder / ("Split-" + split)).iterdir())
    assert [file.name for file in files] == ["data_tfrecord-00000-of-00001.gz"]
    return [record.numpy() for record in tf.data.TFRecordDataset([str(files[0])], compression_type="GZIP")]


class ExampleGenPeerTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        draw = random.Random(20261116)
        self.rows = [[random_cell(draw, column) for column in COLUMNS] for _ in range(3000)]
        # A row of nothing is an empty line to some readers.
        self.rows = [row for row in self.rows if any(row)]
        self.csv = self.dir / "rows.csv.gz"
        lines = [",".join(COLUMNS)] + [",".join(map(quote, row)) for row in self.rows]
        with gzip.open(self.csv, "wt", newline="") as out:
            out.write("\n".join(lines) + "\n")

    def generate(self, run, shares, **flags):
        words = [word for name, n in shares for word in ("--split", "%s=%d" % (name, n))]
        flags = {"pipeline": "p", "db": self.db, "pipeline_root": self.root, "run_id": run, "output": "json", **flags}
        return json.loads(self.ok(self.run_command("example-gen", *words, **flags)).stdout)

    def assert_splits(self, report, expected):
        """The artifact holds these records, in this order."""
        artifact = report["outputs"]["examples"]
        folder = pathlib.Path(artifact["uri"])
        for split, records in expected.items():
            self.assertEqual(records_of(folder, split), records)
            self.assertEqual(artifact["custom_properties"]["num_examples." + split], len(records))

    def test_rows_are_in_the_splits_of_tfx(self):
        shares = [("train", 8), ("eval", 1), ("test", 1)]
        expected = collections.defaultdict(list)
        for row in self.rows:
            example = tfx_example(row)
            split = split_of(example.SerializeToString(deterministic=True), shares)
            expected[split].append(without_empty_lists(example))
        report = self.generate("csv", shares, input=self.csv)
        self.assert_splits(report, expected)
        self.check_import(expected, shares)
        self.check_partition_feature()

    def check_import(self, expected, shares):
        """Records that come in, plain or gzip, keys in any order, go where TFX's ImportExampleGen puts them."""
        folder = self.dir / "records"
        folder.mkdir()
        again = collections.defaultdict(list)
        everything = [record for records in expected.values() for record in records]
        for name, compression, part in (("a.tfrecord", None, everything[::2]), ("b.tfrecord.gz", "GZIP", everything[1::2])):
            with tf.io.TFRecordWriter(str(folder / name), options=compression) as writer:
                for record in part:
                    writer.write(tf.train.Example.FromString(record).SerializeToString())
                    again[split_of(record, shares)].append(record)
        report = self.generate("tfrecord", shares, input=folder)
        self.assert_splits(report, again)
        execution = self.query("get", "execution", report["execution_id"])
        self.assertEqual(execution["type"], "tfx.components.example_gen.import_example_gen.component.ImportExampleGen")

    def check_partition_feature(self):
        """Rows with one value of a feature are in one split: TFX's."""
        shares = [("train", 1), ("eval", 1)]
        path = self.dir / "users.csv"
        users = [str(i % 17) for i in range(200)]
        path.write_text("user,n\n" + "".join("%s,%d\n" % (user, i) for i, user in enumerate(users)))
        report = self.generate("users", shares, input=path, partition_feature="user")
        counts = collections.Counter(
            split_of(tf.train.Feature(int64_list=tf.train.Int64List(value=[int(user)])).SerializeToString(), shares)
            for user in users)
        recorded = report["outputs"]["examples"]["custom_properties"]
        self.assertEqual({split: recorded["num_examples." + split] for split, _ in shares}, dict(counts))
        config = self.query("get", "execution", report["execution_id"])["custom_properties"]["output_config"]
        self.assertEqual(json.loads(config)["split_config"]["partition_feature_name"], "user")


if __name__ == "__main__":
    workspace.main()

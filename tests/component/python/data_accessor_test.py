"""Our data_accessor and schema_utils, for modules where tfx_bsl and tensorflow_transform are not installed.

    data_accessor_test.py LIBRARY      the folder of run_module.py

Whatever TensorFlow runs this: tests/golden/tfx_bsl has what the real packages make of schemas and of examples.
"""

import gzip
import json
import os
import pathlib
import sys
import tempfile
import unittest

from google.protobuf import text_format
import tensorflow as tf

LIBRARY = sys.argv.pop(1)
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden"
sys.path += [LIBRARY, os.path.join(LIBRARY, "shims"), str(GOLDEN / "tfx_bsl")]
# The stand-ins.  pylint: disable=wrong-import-position
import batch_digest
from rekindle_module import data_accessor
from rekindle_module import failure
from tensorflow_metadata.proto.v0 import schema_pb2
from tensorflow_transform.tf_metadata import schema_utils
from tfx.utils import io_utils
from tfx_bsl.public import tfxio


def parsed(text):
    return text_format.Parse(text, schema_pb2.Schema())


class SchemaUtilsTest(unittest.TestCase):

    def made_of(self, schema):
        """As make.py says it, errors as None."""
        try:
            spec, domains = schema_utils.schema_as_feature_spec(schema)
        except ValueError:
            return None
        return {"spec": {name: repr(value) for name, value in spec.items()},
                "domains": {name: text_format.MessageToString(value) for name, value in domains.items()}}

    def test_feature_specs_of_schemas_are_those_of_tensorflow_transform(self):
        cases = json.loads((GOLDEN / "tfx_bsl" / "feature_specs.json").read_text())
        for case in cases:
            with self.subTest(case["schema"]):
                self.assertEqual(self.made_of(parsed(case["schema"])), case["made"])
        self.assertGreater(sum(case["made"] is not None for case in cases), len(cases) // 2)

    def test_a_schema_of_a_feature_spec_gives_that_spec_again(self):
        spec = {
            "scalar": tf.io.FixedLenFeature([], tf.float32),
            "pair": tf.io.FixedLenFeature([2], tf.int64),
            "some": tf.io.VarLenFeature(tf.string),
            "sparse": tf.io.SparseFeature(["row", "column"], "value", tf.float32, [3, 4]),
            "ragged": tf.io.RaggedFeature(tf.int64, value_key="flat", row_splits_dtype=tf.int64, partitions=(
                tf.io.RaggedFeature.RowLengths("lengths"), tf.io.RaggedFeature.UniformRowLength(2))),
        }
        domains = {"some": schema_pb2.StringDomain(value=["a"]), "pair": schema_pb2.IntDomain(min=0)}
        schema = schema_utils.schema_from_feature_spec(spec, domains)
        self.assertEqual(tuple(schema_utils.schema_as_feature_spec(schema)), (spec, domains))
        for wrong in (tf.io.FixedLenFeature([], tf.float32, 0.5), tf.io.VarLenFeature(tf.bool)):
            with self.assertRaises(ValueError):
                schema_utils.schema_from_feature_spec({"x": wrong})


class DataAccessorTest(unittest.TestCase):

    def setUp(self):
        [self.file] = map(str, GOLDEN.glob("taxi_transform/raw/Split-train/*"))
        self.schema = io_utils.parse_pbtxt_file(str(GOLDEN / "taxi_transform/schema/schema.pbtxt"), schema_pb2.Schema())
        self.accessor = data_accessor.make_data_accessor()

    def dataset(self, patterns, batch_size=16, **options):
        options = tfxio.TensorFlowDatasetOptions(batch_size=batch_size, **options)
        return self.accessor.tf_dataset_factory(patterns, options, self.schema)

    def test_batches_are_those_of_tfx_bsl(self):
        for case in json.loads((GOLDEN / "tfx_bsl" / "batches.json").read_text()):
            with self.subTest(case["options"]):
                self.assertEqual(batch_digest.of(self.dataset([self.file], **case["options"])), case["digest"])

    def test_plain_files_are_read_as_gzip_ones_and_beside_them(self):
        with tempfile.TemporaryDirectory() as folder:
            plain = pathlib.Path(folder) / "plain"
            plain.write_bytes(gzip.decompress(pathlib.Path(self.file).read_bytes()))
            once = {"shuffle": False, "num_epochs": 1}
            expected = batch_digest.of(self.dataset(self.file, **once))
            self.assertEqual(batch_digest.of(self.dataset(str(plain), **once)), expected)
            both = self.dataset([str(plain), self.file], batch_size=1, **once)
            self.assertEqual(sum(1 for _ in both), 2 * sum(1 for _ in self.dataset(self.file, batch_size=1, **once)))

    def test_threads_buffers_and_order_do_not_change_what_is_read(self):
        rows = [sorted(row["trip_miles"].numpy().ravel().tolist() for row in self.dataset(
            [self.file], batch_size=1, num_epochs=1, **options)) for options in (
                {}, {"sloppy_ordering": True, "reader_num_threads": 2},
                {"parser_num_threads": 1, "prefetch_buffer_size": 1, "shuffle_buffer_size": 3})]
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(rows[0], rows[2])

    def test_what_cannot_be_read_is_told(self):
        with self.assertRaisesRegex(ValueError, "label_key 'tip' is no feature of the schema; did you mean 'tips'"):
            self.dataset([self.file], label_key="tip")
        with self.assertRaisesRegex(ValueError, "no file matches /none/\\*"):
            self.dataset("/none/*")
        self.schema = None
        with self.assertRaisesRegex(ValueError, "needs a schema"):
            self.dataset([self.file])

    def test_record_batches_need_pyarrow_and_say_so(self):
        batches = self.accessor.record_batch_factory([self.file], tfxio.RecordBatchesOptions(batch_size=4), self.schema)
        with self.assertRaisesRegex(failure.Failure, "-m pip install pyarrow"):
            next(batches)


if __name__ == "__main__":
    unittest.main()

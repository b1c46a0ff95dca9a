"""Our TFTransformOutput, for modules where tensorflow_transform is not installed, against what that itself wrote.

    transform_output_test.py LIBRARY      the folder of run_module.py

Whatever TensorFlow runs this: tests/golden/taxi_transform has raw examples, a transform graph, and what the real
package makes of the one by the other.
"""

import glob
import os
import pathlib
import random
import sys
import tempfile
import unittest

import numpy as np
import tensorflow as tf

LIBRARY = sys.argv.pop(1)
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden" / "taxi_transform"
sys.path += [LIBRARY, os.path.join(LIBRARY, "shims")]
import tensorflow_transform as tft  # the stand-in  pylint: disable=wrong-import-position


def records(kind, split):
    files = sorted(glob.glob(str(GOLDEN / kind / ("Split-" + split) / "*")))
    return list(tf.data.TFRecordDataset(files, compression_type="GZIP").as_numpy_iterator())


class TransformOutputTest(unittest.TestCase):
    graph = "transform_graph"

    def setUp(self):
        self.output = tft.TFTransformOutput(str(GOLDEN / self.graph))
        self.raw_spec = self.output.raw_feature_spec()
        self.raw = records("raw", "eval")
        self.features = tf.io.parse_example(self.raw, self.raw_spec)
        self.expected = tf.io.parse_example(records("transformed", "eval"), self.output.transformed_feature_spec())

    def assert_same(self, got, but=()):
        """What was got is what was expected, each value, without the features in `but`."""
        self.assertEqual(set(got), set(self.expected) - set(but))
        for name, value in got.items():
            np.testing.assert_allclose(value, self.expected[name], rtol=1e-5, atol=1e-6, err_msg=name)

    def test_transformed_features_are_those_of_tensorflow_transform(self):
        self.assert_same(self.output.transform_raw_features(self.features))
        self.features = tf.io.parse_example(records("raw", "train"), self.raw_spec)
        self.expected = tf.io.parse_example(records("transformed", "train"), self.output.transformed_feature_spec())
        self.assert_same(self.output.transform_raw_features(self.features))

    def test_in_functions_and_in_graphs(self):
        @tf.function
        def transform(serialized):
            return dict(self.output.transform_raw_features(tf.io.parse_example(serialized, self.raw_spec)))

        self.assert_same(transform(tf.constant(self.raw)))
        for _ in range(2):  # an Estimator has a graph for each of training, evaluation and export
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                self.output.load_transform_graph()
                transformed = self.output.transform_raw_features(tf.io.parse_example(self.raw, self.raw_spec))
                session.run(tf.compat.v1.tables_initializer())
                self.assert_same(session.run(dict(transformed)))
        self.assert_same(self.output.transform_raw_features(self.features))

    def test_features_that_need_a_missing_one_are_left_out(self):
        needs = {"tips": ["tips_xf"], "fare": ["fare_xf", "fare_bucket_xf", "tips_xf"], "company": ["company_xf"],
                 "payment_type": ["payment_type_xf"], "trip_start_hour": ["trip_start_hour_xf"]}
        for _ in range(5):
            dropped = random.sample(sorted(needs), random.randrange(1, len(needs)))
            given = {name: value for name, value in self.features.items() if name not in dropped}
            left_out = {name for feature in dropped for name in needs[feature]}
            with self.subTest(dropped=dropped):
                self.assert_same(self.output.transform_raw_features(given), but=left_out)
        transformed = self.output.transform_raw_features({"fare": self.features["fare"]})
        self.assertIsNone(transformed.pop("tips_xf"))

    def test_a_feature_that_the_graph_does_not_have(self):
        with self.assertRaisesRegex(ValueError, "no feature 'fares'; it has company, fare, "):
            self.output.transform_raw_features({"fares": self.features["fare"]})

    def test_a_layer_saves_its_tables_with_the_model(self):
        model = tf.Module()
        model.layer = self.output.transform_features_layer()
        self.assertIs(model.layer, self.output.transform_features_layer())
        self.assert_same(model.layer(self.features))
        del self.raw_spec["tips"]

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def serve(serialized):
            transformed = model.layer(tf.io.parse_example(serialized, self.raw_spec))
            transformed.pop("tips_xf")
            return dict(transformed)

        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(model, folder, signatures=serve)
            served = tf.saved_model.load(folder).signatures["serving_default"]
            self.assert_same(served(serialized=tf.constant(self.raw)), but=["tips_xf"])

    def test_schemas_and_vocabularies(self):
        self.assertEqual(self.raw_spec["company"], tf.io.VarLenFeature(tf.string))
        self.assertEqual(self.raw_spec["fare"], tf.io.FixedLenFeature([], tf.float32))
        self.assertEqual([f.name for f in self.output.raw_metadata.schema.feature], sorted(self.raw_spec))
        self.assertEqual(self.output.transformed_metadata.schema.feature[0].name, "company_xf")
        self.assertEqual(self.output.vocabulary_size_by_name("payment_type"), 4)
        self.assertEqual(self.output.vocabulary_by_name("payment_type"),
                         [b"Credit Card", b"Unknown", b"Prcard", b"Cash"])
        self.assertIsNone(self.output.vocabulary_file_by_name("color"))
        self.assertEqual(self.output.num_buckets_for_transformed_feature("fare_bucket_xf"), 5)
        with self.assertRaisesRegex(ValueError, "'fare_xf' has no domain of integers from 0"):
            self.output.num_buckets_for_transformed_feature("fare_xf")

    def test_vocabularies_have_names_that_files_can_have(self):
        with tempfile.TemporaryDirectory() as folder:
            assets = pathlib.Path(folder) / "transform_fn" / "assets"
            assets.mkdir(parents=True)
            (assets / "pick-up_area-7").write_bytes(b"Loop\nO'Hare\n")
            with tf.io.TFRecordWriter(str(assets / "company.tfrecord.gz"), "GZIP") as writer:
                writer.write(b"Flash Cab")
            output = tft.TFTransformOutput(folder)
            self.assertEqual(output.vocabulary_by_name("pick up/area  7"), [b"Loop", b"O'Hare"])
            self.assertEqual(output.vocabulary_by_name("company"), [b"Flash Cab"])

    def test_a_step_without_a_transform_graph(self):
        with self.assertRaisesRegex(ValueError, "--transform-graph"):
            tft.TFTransformOutput(None)


class TransformOutputOfTensorFlow1Test(TransformOutputTest):
    graph = "transform_graph_v1"


if __name__ == "__main__":
    unittest.main()

"""Statistics and schemas as tensorflow_metadata's own classes read them, beside numpy's answers on the same data."""

import collections
import pathlib
import random

from google.protobuf import text_format
import numpy as np
from tensorflow_metadata.proto.v0 import schema_pb2
from tensorflow_metadata.proto.v0 import statistics_pb2

import workspace

ROWS = 5000
HISTOGRAM_BUCKETS = 10


def make_columns(draw):
    """Columns of many shapes, a cell of None is missing."""
    columns = {
        "normal": [draw.gauss(50, 10) for _ in range(ROWS)],
        "skewed": [draw.lognormvariate(0, 3) for _ in range(ROWS)],
        "zeros": [0.5 if draw.random() < 0.3 else 0.0 for _ in range(ROWS)],
        "count": [draw.randrange(-3, 40) for _ in range(ROWS)],
        "constant": [7] * ROWS,
        "flag": [draw.randrange(2) for _ in range(ROWS)],
        "few": [draw.choice(["red", "green", "blue, dark", "größe"]) for _ in range(ROWS)],
        "many": ["id-%d" % draw.randrange(3000) for _ in range(ROWS)],
    }
    for name in ("skewed", "count", "few"):
        columns[name] = [None if draw.random() < 0.2 else value for value in columns[name]]
    return columns


def to_csv(columns):
    lines = [",".join(columns)]
    for row in zip(*columns.values()):
        lines.append(",".join("" if cell is None else '"%s"' % cell if isinstance(cell, str) else repr(cell) for cell in row))
    return "\n".join(lines) + "\n"


class StatisticsPeerTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.columns = make_columns(random.Random(20261116))
        csv = self.dir / "data" / "all.csv"
        csv.parent.mkdir()
        csv.write_text(to_csv(self.columns))
        self.ok(self.run_command("example-gen", "--input-split", "all=all.csv", pipeline="penguin", db=self.db,
                                 pipeline_root=self.root, run_id="r1", input=csv.parent))
        self.statistics = self.report("statistics-gen", run_id="r1")["outputs"]["statistics"]

    def dataset(self):
        """The one dataset of the one split."""
        [path] = pathlib.Path(self.statistics["uri"]).glob("Split-*/FeatureStats.pb")
        stats = statistics_pb2.DatasetFeatureStatisticsList.FromString(path.read_bytes())
        [dataset] = stats.datasets
        return dataset

    def test_every_figure_is_that_of_numpy(self):
        dataset = self.dataset()
        self.assertEqual(dataset.num_examples, ROWS)
        features = {feature.path.step[0]: feature for feature in dataset.features}
        self.assertEqual(list(features), sorted(self.columns))
        for name, cells in self.columns.items():
            values = [cell for cell in cells if cell is not None]
            with self.subTest(name):
                if isinstance(values[0], str):
                    self.check_strings(features[name].string_stats, values)
                else:
                    # Fractions are stored in 32 bits.
                    kind = np.float32 if isinstance(values[0], float) else np.int64
                    self.check_numbers(features[name].num_stats, np.array(values, kind).astype(np.float64))
        self.check_schema()

    def check_common(self, common, values):
        self.assertEqual((common.num_non_missing, common.num_missing), (len(values), ROWS - len(values)))
        self.assertEqual((common.min_num_values, common.max_num_values, common.avg_num_values), (1, 1, 1))
        self.assertEqual(common.tot_num_values, len(values))
        histogram = common.num_values_histogram
        self.assertAlmostEqual(sum(bucket.sample_count for bucket in histogram.buckets), len(values))

    def check_numbers(self, stats, values):
        self.check_common(stats.common_stats, values)
        np.testing.assert_allclose(stats.mean, values.mean(), rtol=1e-12)
        np.testing.assert_allclose(stats.std_dev, values.std(), rtol=1e-9, atol=1e-12)
        self.assertEqual(stats.num_zeros, np.count_nonzero(values == 0))
        self.assertEqual((stats.min, stats.max), (values.min(), values.max()))
        self.assertEqual(stats.median, np.quantile(values, 0.5, method="inverted_cdf"))
        standard, quantiles = stats.histograms
        self.assertEqual((standard.type, quantiles.type), (statistics_pb2.Histogram.STANDARD,
                                                           statistics_pb2.Histogram.QUANTILES))
        if values.min() < values.max():
            counts, edges = np.histogram(values, HISTOGRAM_BUCKETS)
            # A value on an edge may round into either of its buckets.
            np.testing.assert_allclose([b.sample_count for b in standard.buckets], counts, atol=self.on_edges(values, edges))
            np.testing.assert_allclose([b.low_value for b in standard.buckets], edges[:-1], rtol=1e-9, atol=1e-9)
        ends = np.quantile(values, np.arange(1, HISTOGRAM_BUCKETS + 1) / HISTOGRAM_BUCKETS, method="inverted_cdf")
        self.assertEqual([b.high_value for b in quantiles.buckets], list(ends))

    def on_edges(self, values, edges):
        return sum(np.count_nonzero(np.isclose(values, edge, rtol=1e-12)) for edge in edges[1:-1])

    def check_strings(self, stats, values):
        self.check_common(stats.common_stats, values)
        counts = collections.Counter(values)
        self.assertEqual(stats.unique, len(counts))
        self.assertAlmostEqual(stats.avg_length, np.mean([len(value.encode()) for value in values]), places=4)
        ranked = sorted(counts.items(), key=lambda item: (item[1], item[0].encode()), reverse=True)
        self.assertEqual([(top.value, top.frequency) for top in stats.top_values], ranked[:20])
        self.assertEqual([(b.label, b.sample_count) for b in stats.rank_histogram.buckets], ranked[:1000])

    def check_schema(self):
        """Examples and statistics give one schema, which the original's classes read."""
        texts = []
        for run, flags in (("stats", {"statistics": "latest"}), ("examples", {"examples": "latest"})):
            report = self.report("schema-gen", run_id=run, **flags)
            [path] = pathlib.Path(report["outputs"]["schema"]["uri"]).iterdir()
            self.assertEqual(path.name, "schema.pbtxt")
            texts.append(path.read_text())
        self.assertEqual(texts[0], texts[1])
        schema = text_format.Parse(texts[0], schema_pb2.Schema())
        by_name = {feature.name: feature for feature in schema.feature}
        self.assertEqual(by_name["few"].domain, "few")
        self.assertEqual(list(schema.string_domain[0].value), ["blue, dark", "green", "größe", "red"])
        self.assertTrue(by_name["flag"].HasField("bool_domain"))
        self.assertFalse(by_name["many"].HasField("domain"))
        self.assertEqual(by_name["normal"].shape.dim[0].size, 1)
        self.assertEqual((by_name["count"].value_count.min, by_name["count"].value_count.max), (1, 1))


if __name__ == "__main__":
    workspace.main()

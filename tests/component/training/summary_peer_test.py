"""TensorBoard's own readers read our event files: tags, steps, values, histogram buckets and the graph."""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from tensorboard import context
from tensorboard.backend.event_processing import data_provider
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.backend.event_processing import plugin_event_multiplexer
from tensorboard.compat.proto import graph_pb2
from tensorboard.plugins.histogram import summary_v2
from tensorboard.util import tensor_util

WRITE_SUMMARIES = sys.argv.pop(1)
EVERYTHING = {"scalars": 0, "tensors": 0}


def histograms(rng):
    """Values as weights are, and such as they should not be."""
    yield "normal", rng.normal(size=1000)
    yield "uniform", rng.uniform(-1e-3, 1e-3, size=77)
    yield "wide", rng.normal(size=300) * 10.0 ** rng.integers(-20, 20, size=300)
    yield "equal", np.full(5, 0.25)
    yield "one", rng.normal(size=1)
    yield "none", np.zeros(0)


class SummaryPeerTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        seed = random.SystemRandom().randrange(2**32)
        print(f"seed {seed}", file=sys.stderr)
        rng = np.random.default_rng(seed)
        cls.steps = sorted(rng.choice(10**9, size=50, replace=False).tolist())
        cls.scalars = [{"training_loss": float(rng.exponential()), "validation/recall@1": float(rng.normal())} for _ in cls.steps]
        cls.histograms = {name: np.float32(values) for name, values in histograms(rng)}
        lines = [{"graph": ["dense/kernel", "dense/MatMul"]}]
        lines += [{"step": step, "scalars": logs} for step, logs in zip(cls.steps, cls.scalars)]
        lines += [{"step": 7, "histogram": name, "values": values.tolist()} for name, values in cls.histograms.items()]
        subprocess.run([WRITE_SUMMARIES, f"{cls.temporary.name}/train"], check=True, text=True,
                       input="\n".join(json.dumps(line) for line in lines))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def accumulator(self):
        return event_accumulator.EventAccumulator(f"{self.temporary.name}/train", size_guidance=EVERYTHING).Reload()

    def provider(self):
        """What the web page asks."""
        multiplexer = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={"scalars": 0, "histograms": 0})
        multiplexer.AddRunsFromDirectory(self.temporary.name)
        multiplexer.Reload()
        return data_provider.MultiplexerDataProvider(multiplexer, self.temporary.name)

    def test_the_accumulator_reads_every_scalar(self):
        read = self.accumulator()
        self.assertEqual(sorted(read.Tags()["scalars"]), sorted(self.scalars[0]))
        for tag in self.scalars[0]:
            events = read.Scalars(tag)
            self.assertEqual([event.step for event in events], self.steps)
            self.assertEqual([event.value for event in events], [float(np.float32(logs[tag])) for logs in self.scalars])

    def test_the_page_shows_every_scalar(self):
        ctx = context.RequestContext()
        answer = self.provider().read_scalars(ctx, experiment_id="x", plugin_name="scalars", downsample=10**6)
        self.assertEqual(sorted(answer["train"]), sorted(self.scalars[0]))
        for tag, points in answer["train"].items():
            self.assertEqual([point.step for point in points], self.steps)
            self.assertEqual([point.value for point in points], [float(np.float32(logs[tag])) for logs in self.scalars])

    def test_histograms_have_the_buckets_tensorboard_would_write(self):
        ctx = context.RequestContext()
        answer = self.provider().read_tensors(ctx, experiment_id="x", plugin_name="histograms", downsample=10**6)
        self.assertEqual(sorted(answer["train"]), sorted(self.histograms))
        for tag, (point,) in answer["train"].items():
            theirs = tensor_util.make_ndarray(summary_v2.histogram_pb(tag, self.histograms[tag]).value[0].tensor)
            self.assertEqual(point.step, 7)
            self.assertEqual(point.numpy.dtype, theirs.dtype)
            np.testing.assert_allclose(point.numpy[:, :2], theirs[:, :2], rtol=1e-12, err_msg=tag)
            np.testing.assert_array_equal(point.numpy[:, 2], theirs[:, 2], err_msg=tag)

    def test_the_graph_is_read(self):
        graph = self.accumulator().Graph()
        self.assertIsInstance(graph, graph_pb2.GraphDef)
        self.assertEqual([node.name for node in graph.node], ["dense/kernel", "dense/MatMul"])

    def test_the_file_names_its_writer(self):
        (name,) = os.listdir(f"{self.temporary.name}/train")
        self.assertRegex(name, r"^events\.out\.tfevents\.\d{10}\.")
        self.assertEqual(self.accumulator().GetSourceWriter(), "rekindle")


if __name__ == "__main__":
    unittest.main()

"""`rekindle evaluate` measures what numpy and Keras measure, over random examples, slices and models of others."""

import json
import pathlib

import keras
import numpy as np
import tensorflow as tf

import workspace

ROWS = 2500  # more than two batches
GROUPS = [b"red", b"green", b"blue"]
SEED = 20250719


def feature(values):
    """A tf.train.Feature of bytes, integers or floats."""
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], (int, np.integer)):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


class Data:
    """Random rows: two inputs, what slices are made by, and a label of each kind."""

    def __init__(self, random):
        self.x = random.normal(size=(ROWS, 2)).astype(np.float32)
        noisy = self.x.sum(axis=1) + random.normal(size=ROWS)
        self.labels = {"kind": np.digitize(noisy, [-1, 1]), "yes": (noisy > 0).astype(int),
                       "amount": noisy.astype(np.float32)}
        # None, one or two values; a feature without values is not there.
        self.groups = [sorted(random.choice(GROUPS, size=random.integers(0, 3), replace=False)) for _ in range(ROWS)]
        self.years = random.integers(2007, 2010, size=ROWS)

    def example(self, row):
        """Row `row`, serialized."""
        fields = {"x": feature(self.x[row].tolist()), "year": feature([int(self.years[row])])}
        if self.groups[row]:
            fields["group"] = feature(self.groups[row])
        for name, values in self.labels.items():
            fields[name] = feature([values[row].item()])
        fields["word"] = feature([b"class-%d" % self.labels["kind"][row]])
        return tf.train.Example(features=tf.train.Features(feature=fields)).SerializeToString()

    def slices(self):
        """The rows of each slice that SLICES asks for, by the slice as metrics.json has it."""
        rows = {"[]": list(range(ROWS))}
        for row in range(ROWS):
            keys = [[{"feature": "group", "bytes": g.decode()}] for g in self.groups[row]]
            if self.years[row] == 2008:
                year = {"feature": "year", "int64": 2008}
                keys += [[year]] + [[*key, year] for key in keys]
            for key in keys:
                rows.setdefault(json.dumps(key, sort_keys=True), []).append(row)
        return {key: np.array(of_slice) for key, of_slice in rows.items()}


SLICES = ("group", "year=2008", "group,year=2008")


def export(model, output, folder, classes=None):
    """Has Keras write a model as a server has it: serialized tf.Examples in, one named output out."""

    def serve(examples):
        parsed = tf.io.parse_example(examples, {"x": tf.io.FixedLenFeature([2], tf.float32)})
        answers = {output: model(parsed["x"])}
        if classes:
            answers["classes"] = tf.tile(tf.constant([classes]), [tf.shape(examples)[0], 1])
        return answers

    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("serving_default", serve, input_signature=[tf.TensorSpec([None], tf.string)])
    archive.write_out(folder, verbose=False)


def dense(units, activation, seed):
    """A model with random weights: good enough to be wrong now and then."""
    return keras.Sequential([keras.Input((2,)), keras.layers.Dense(
        units, activation, kernel_initializer=keras.initializers.RandomNormal(stddev=1.0, seed=seed))])


def share(part, whole):
    return part / whole if whole else 0.0


def of_class(name, number, labels, scores, taken):
    """Precision, recall and AUC of one class against all others."""
    hits = np.sum(taken & (labels == number))
    auc = keras.metrics.AUC()
    auc.update_state(labels == number, scores)
    return {"precision" + name: share(hits, np.sum(taken)), "recall" + name: share(hits, np.sum(labels == number)),
            "auc" + name: float(auc.result())}


def classification(labels, probabilities, names):
    """What is measured of class numbers and probabilities."""
    metrics = {"example_count": len(labels)}
    if probabilities.shape[1] == 1:
        column = probabilities[:, 0]
        both = np.stack([1 - column, column], axis=1)
        taken = (column > 0.5).astype(int)
        metrics.update(of_class("", 1, labels, column, taken == 1))
    else:
        both = probabilities
        taken = probabilities.argmax(axis=1)
        for number, name in enumerate(names):
            metrics.update(of_class("/" + name, number, labels, probabilities[:, number], taken == number))
        for measure in ("precision", "recall", "auc"):
            metrics[measure] = np.mean([metrics["%s/%s" % (measure, name)] for name in names])
    right = np.clip(both[np.arange(len(labels)), labels].astype(np.float64), 1e-7, 1 - 1e-7)
    metrics.update(accuracy=np.mean(taken == labels), log_loss=np.mean(-np.log(right)))
    return metrics


def regression(labels, predictions):
    """What is measured of numbers."""
    errors = labels.astype(np.float64) - predictions[:, 0]
    return {"example_count": len(labels), "mse": np.mean(errors ** 2), "mae": np.mean(np.abs(errors))}


class EvaluatePeerTest(workspace.Workspace):

    @classmethod
    def setUpClass(cls):
        keras.utils.set_random_seed(SEED)
        cls.data = Data(np.random.default_rng(SEED))

    def setUp(self):
        super().setUp()
        split = self.dir / "examples" / "Split-eval"
        split.mkdir(parents=True)
        records = [self.data.example(row) for row in range(ROWS)]
        for shard, part in enumerate((records[:1100], records[1100:])):
            with tf.io.TFRecordWriter(str(split / ("data-%d.gz" % shard)), "GZIP" if shard else "") as writer:
                for record in part:
                    writer.write(record)
        self.report("import", type="Examples", uri=self.dir / "examples", node="Examples")

    def save(self, name, model, output, classes=None):
        """Writes a SavedModel and makes it an artifact; its reference."""
        folder = self.dir / name
        export(model, output, str(folder / "Format-Serving"), classes)
        report = self.report("import", type="Model", uri=folder, node=name)
        return "id:%d" % report["outputs"]["result"]["id"]

    def measure(self, model, label, **flags):
        """Evaluates; the first model of metrics.json."""
        arguments = ["evaluate", *("--slice=%s" % spec for spec in SLICES)]
        flags = {"pipeline": "penguin", "db": self.db, "pipeline_root": self.root, "output": "json", "model": model,
                 "label_key": label, **flags}
        report = json.loads(self.ok(self.run_command(*arguments, **flags)).stdout)
        files = pathlib.Path(report["outputs"]["evaluation"]["uri"])
        measured = json.loads((files / "metrics.json").read_text())["models"][0]
        self.assertEqual({name: report["outputs"]["evaluation"]["custom_properties"][name]
                          for name in measured["slices"][0]["metrics"]}, measured["slices"][0]["metrics"])
        return measured

    def assert_measured(self, measured, expect):
        """Every slice has the metrics that `expect` computes of its rows, and there are no others."""
        slices = {json.dumps(s["slice"], sort_keys=True): s["metrics"] for s in measured["slices"]}
        rows = self.data.slices()
        self.assertEqual(sorted(slices), sorted(rows))
        for key, of_slice in rows.items():
            expected = expect(of_slice)
            self.assertEqual(sorted(slices[key]), sorted(expected), key)
            for name, value in expected.items():
                self.assertAlmostEqual(slices[key][name], value, delta=2e-5 * max(1, abs(value)), msg=(key, name))

    def test_classes_by_number_and_by_name(self):
        model = dense(3, "softmax", seed=1)
        probabilities = model.predict(self.data.x, verbose=0)
        kinds = self.data.labels["kind"]
        plain = self.save("Plain", model, "output_0")
        self.assert_measured(self.measure(plain, "kind"), lambda rows: classification(
            kinds[rows], probabilities[rows], ["0", "1", "2"]))
        names = ["class-0", "class-1", "class-2"]
        naming = self.save("Naming", model, "scores", names)
        self.assert_measured(self.measure(naming, "word"), lambda rows: classification(
            kinds[rows], probabilities[rows], names))

    def test_logits_are_recognised(self):
        model = dense(3, None, seed=2)
        logits = model.predict(self.data.x, verbose=0).astype(np.float64)
        exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = (exponentials / exponentials.sum(axis=1, keepdims=True)).astype(np.float32)
        reference = self.save("Logits", model, "logits")
        self.assert_measured(self.measure(reference, "kind"), lambda rows: classification(
            self.data.labels["kind"][rows], probabilities[rows], ["0", "1", "2"]))

    def test_one_column_is_a_probability_or_a_number_as_the_labels_say(self):
        binary = dense(1, "sigmoid", seed=3)
        answers = binary.predict(self.data.x, verbose=0)
        reference = self.save("Binary", binary, "output_0")
        self.assert_measured(self.measure(reference, "yes"), lambda rows: classification(
            self.data.labels["yes"][rows], answers[rows], []))
        number = dense(1, None, seed=4)
        predicted = number.predict(self.data.x, verbose=0)
        reference = self.save("Number", number, "output_0")
        self.assert_measured(self.measure(reference, "amount"), lambda rows: regression(
            self.data.labels["amount"][rows], predicted[rows]))

    def test_what_cannot_be_measured_is_refused(self):
        model = self.save("Plain", dense(3, "softmax", seed=1), "output_0")
        for flags, *fragments in (
                ({"label_key": "knid"}, "label 'knid'", "did you mean 'kind'?"),
                ({"label_key": "kind", "slice": "gruop"}, "'gruop'", "did you mean 'group'?"),
                ({"label_key": "word"}, "the text 'class-", "--schema"),
                ({"label_key": "yes", "prediction_key": "output"}, "'output'", "did you mean 'output_0'?"),
                ({"label_key": "year"}, "none of the model's 3 classes, 0 to 2"),
                ({"label_key": "kind", "signature": "serve"}, "no signature 'serve'"),
                ({"label_key": "kind", "split": "test"}, "split", "test"),
                ({"label_key": "kind", "threshold": "acuracy>=0.5"}, "did you mean 'accuracy'?")):
            with self.subTest(flags=flags):
                result = self.step("evaluate", model=model, **flags)
                self.assertEqual(result.returncode, 1, result.stderr)
                last = result.stderr.strip().splitlines()[-1]
                for fragment in fragments:
                    self.assertIn(fragment, last)


if __name__ == "__main__":
    workspace.main()

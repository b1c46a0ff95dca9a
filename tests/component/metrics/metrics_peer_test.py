"""Compares our metrics with Keras's, or with NumPy where Keras has none.

Usage: metrics_peer_test.py METRICS_TOOL
"""

import json
import os
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import keras  # noqa: E402
import numpy as np  # noqa: E402

SEED = int(os.environ.get("REKINDLE_TEST_SEED", "7"))
CASES = 12  # of each kind


def tensor(array):
    return {
        "type": str(array.dtype),
        "shape": list(array.shape),
        "values": array.ravel().tolist(),
    }


def binary_batch(rng, size):
    label = rng.integers(0, 2, size).astype(rng.choice(["int32", "int64", "float32"]))
    scores = np.clip(0.3 * label + rng.uniform(0, 0.7, size), 0, 1).astype("float32")
    # Scores on a threshold, at the ends, and equal ones.
    edge = rng.random(size) < 0.2
    scores[edge] = (rng.integers(0, 200, edge.sum()) / np.float32(199)).astype("float32")
    shape = (size, 1) if rng.random() < 0.5 else (size,)
    return {"label": label, "scores": scores.reshape(shape)}


def class_batch(rng, size, classes):
    label = rng.integers(0, classes, size).astype("int64")
    logits = rng.normal(0, 1, (size, classes)) + 1.5 * np.eye(classes)[label]
    scores = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return {"label": label, "scores": scores.astype("float32")}


def number_batch(rng, size):
    shape = (size,) if rng.random() < 0.5 else (size, 3)
    return {
        "label": rng.normal(0, 3, shape).astype("float32"),
        "scores": rng.normal(0, 3, shape).astype("float32"),
    }


def batches(rng, make):
    return [make(rng, int(rng.integers(1, 400))) for _ in range(rng.integers(1, 5))]


def keras_result(metric, data, column=None):
    """Of all classes, of class 1 of two, or of one class against the others."""
    for batch in data:
        label, scores = batch["label"], batch["scores"]
        if column is not None:
            label, scores = label == column, scores[:, column]
        rows = len(label)
        metric.update_state(label.reshape(rows, 1), scores.reshape(rows, -1))
    return float(metric.result())


def joined(data):
    return (np.concatenate([b["label"] for b in data]),
            np.concatenate([b["scores"] for b in data]))


def class_measures(data, names):
    label, scores = joined(data)
    predicted = scores.argmax(1)
    expected = {"precision": [], "recall": []}
    for number, name in enumerate(names):
        hits = np.sum((predicted == number) & (label == number))
        for measure, whole in (("precision", predicted), ("recall", label)):
            share = hits / max(1, np.sum(whole == number))
            expected[measure].append(share)
            expected[f"{measure}/{name}"] = share
    return {key: np.mean(value) for key, value in expected.items()}


def class_auc(data, names):
    expected = {
        f"auc/{name}": keras_result(keras.metrics.AUC(), data, column=number)
        for number, name in enumerate(names)
    }
    expected["auc"] = np.mean(list(expected.values()))
    return expected


def binary_cases(rng):
    data = batches(rng, binary_batch)
    metrics = keras.metrics
    yield "accuracy", [], data, {"accuracy": keras_result(metrics.BinaryAccuracy(), data)}
    yield "auc", [], data, {"auc": keras_result(metrics.AUC(), data)}
    yield "log_loss", [], data, {"log_loss": keras_result(metrics.BinaryCrossentropy(), data)}
    yield "precision_recall", [], data, {
        "precision": keras_result(metrics.Precision(), data),
        "recall": keras_result(metrics.Recall(), data),
    }


def multi_class_cases(rng):
    classes = int(rng.integers(2, 7))
    names = [f"class {i}" for i in range(classes)]
    data = batches(rng, lambda r, size: class_batch(r, size, classes))
    metrics = keras.metrics
    yield "accuracy", names, data, {
        "accuracy": keras_result(metrics.SparseCategoricalAccuracy(), data)}
    yield "log_loss", names, data, {
        "log_loss": keras_result(metrics.SparseCategoricalCrossentropy(), data)}
    yield "auc", names, data, class_auc(data, names)
    yield "precision_recall", names, data, class_measures(data, names)


def regression_cases(rng):
    data = batches(rng, number_batch)
    data = [b for b in data if b["label"].shape[1:] == data[0]["label"].shape[1:]]
    error = np.concatenate([(b["scores"] - b["label"]).ravel() for b in data]).astype("float64")
    yield "mse", [], data, {"mse": np.mean(error**2)}
    yield "mae", [], data, {"mae": np.mean(np.abs(error))}
    values = np.concatenate([b["scores"].ravel() for b in data]).astype("float64")
    yield "mean", [], data, {"scores": np.mean(values)}
    means = [{"label": b["label"], "scores": np.float32(b["scores"].mean()).reshape(())} for b in data]
    weights = [len(b["label"]) for b in data]
    yield "mean", [], means, {"scores": np.average([b["scores"] for b in means], weights=weights)}


def main():
    rng = np.random.default_rng(SEED)
    cases, expected = [], []
    for kind in (binary_cases, multi_class_cases, regression_cases):
        for _ in range(CASES):
            for metric, classes, data, result in kind(rng):
                cases.append({
                    "metric": metric,
                    "classes": classes,
                    "batches": [{k: tensor(v) for k, v in b.items()} for b in data],
                })
                expected.append(result)
    output = subprocess.run([sys.argv[1]], input=json.dumps(cases), text=True,
                            check=True, stdout=subprocess.PIPE).stdout
    worst = 0
    for case, ours, theirs in zip(cases, json.loads(output), expected, strict=True):
        assert ours.keys() == theirs.keys(), (case["metric"], ours, theirs)
        for name, value in theirs.items():
            difference = abs(ours[name] - value) / max(1, abs(value))
            worst = max(worst, difference)
            assert difference < 1e-6, (SEED, case["metric"], name, ours[name], value)
    print(f"{len(cases)} cases equal; largest difference {worst:.1e}")


if __name__ == "__main__":
    main()

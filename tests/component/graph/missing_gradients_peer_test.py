"""Compares the gradients that we add to TensorFlow's C++ side with Python's.

Usage: missing_gradients_peer_test.py GRADIENT_TOOL
"""

import json
import os
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

SEED = int(os.environ.get("REKINDLE_TEST_SEED", "7"))
CASES_PER_OPERATION = 10
INTEGERS = ("int32", "int64")


def floats(rng, *shape):
    return rng.normal(0, 1, shape).astype("float32")


def gather_case(rng):
    rows = int(rng.integers(1, 8))
    table = floats(rng, rows, *rng.integers(1, 4, rng.integers(0, 3)))
    ids = rng.integers(0, rows, rng.integers(1, 5, rng.integers(0, 3)))
    return [table, ids.astype(rng.choice(INTEGERS))], tf.raw_ops.GatherV2, {"axis": 0}


def cross_entropy_case(rng):
    examples, classes = rng.integers(1, 9, 2)
    labels = rng.integers(0, classes, examples).astype(rng.choice(INTEGERS))
    return ([floats(rng, examples, classes) * 3, labels],
            lambda **inputs: tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(**inputs).loss, {})


def segment_case(rng, op, counted):
    rows = int(rng.integers(1, 8))
    data = floats(rng, rows, *rng.integers(1, 4, rng.integers(0, 3)))
    size = int(rng.integers(1, 10))
    indices = rng.integers(0, rows, size).astype(rng.choice(INTEGERS))
    segments = np.sort(rng.integers(0, 5, size)).astype("int32")
    inputs = [data, indices, segments]
    if counted:  # segments without elements at the end
        inputs.append(np.int32(segments.max() + rng.integers(1, 4)))
    return inputs, op, {}


def xlogy_case(rng):
    shape = rng.integers(1, 5, rng.integers(1, 4))
    x, y = floats(rng, *shape), np.abs(floats(rng, *shape)) + np.float32(0.1)
    x[rng.random(x.shape) < 0.3] = 0
    if rng.random() < 0.5:
        x = x[:1]
    if rng.random() < 0.5:
        y = y[..., :1]
    return [x, y], tf.raw_ops.Xlogy, {}


def kinds():
    yield "ResourceGather", ("params", "indices"), gather_case
    yield "SparseSoftmaxCrossEntropyWithLogits", ("features", "labels"), cross_entropy_case
    for name in ("Sum", "Mean", "SqrtN"):
        for counted in (False, True):
            op = f"SparseSegment{name}" + "WithNumSegments" * counted
            names = ("data", "indices", "segment_ids", "num_segments")[:3 + counted]
            make = lambda rng, op=op, counted=counted: segment_case(
                rng, getattr(tf.raw_ops, op), counted)
            yield op, names, make
    yield "Xlogy", ("x", "y"), xlogy_case


def python_gradients(op, names, inputs, more, rng):
    """Of the sum of the output times random weights; and these weights."""
    tensors = dict(zip(names, map(tf.constant, inputs), strict=True))
    by = [t for t in tensors.values() if t.dtype == tf.float32]
    with tf.GradientTape() as tape:
        tape.watch(by)
        output = op(**tensors, **more)
        weights = floats(rng, *output.shape)
        total = tf.reduce_sum(output * weights)
    return [tf.convert_to_tensor(g).numpy() for g in tape.gradient(total, by)], weights


def tensor(array):
    array = np.asarray(array)
    return {"type": str(array.dtype), "shape": list(array.shape),
            "values": array.ravel().tolist()}


def main():
    rng = np.random.default_rng(SEED)
    cases, expected = [], []
    for name, names, make in kinds():
        for _ in range(CASES_PER_OPERATION):
            inputs, op, more = make(rng)
            gradients, weights = python_gradients(op, names, inputs, more, rng)
            cases.append({"op": name, "inputs": [tensor(i) for i in inputs],
                          "weights": tensor(weights)})
            expected.append(gradients)
    output = subprocess.run([sys.argv[1]], input=json.dumps(cases), text=True,
                            check=True, stdout=subprocess.PIPE).stdout
    for case, ours, theirs in zip(cases, json.loads(output), expected, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other.ravel(), rtol=1e-5, atol=1e-6,
                                       err_msg=f"seed {SEED}: {json.dumps(case)}")
    print(f"{len(cases)} gradients equal")


if __name__ == "__main__":
    main()

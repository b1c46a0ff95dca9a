"""What a careful Python program without TFX or pandas would do; the other side of module_bench's data parts.

Prints JSON: the seconds of the work itself, without imports, and what can be compared.
"""

import bisect
import csv
import hashlib
import json
import os
import pathlib
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position

SPLITS = ("train", "eval")
BUCKETS = [2, 3]  # two to one
HISTOGRAM_BUCKETS = 10


def kind_of(cell, known):
    """The narrowest of int, float and str that holds this cell and those before it."""
    if known is str or not cell:
        return known
    for kind in ((int, float) if known is not float else (float,)):
        try:
            kind(cell)
            return kind
        except ValueError:
            continue
    return str


def learn_kinds(path):
    """Names and kinds of the columns."""
    with open(path, newline="", encoding="utf-8") as text:
        rows = csv.reader(text)
        names = next(rows)
        kinds = [None] * len(names)
        for row in rows:
            for i, cell in enumerate(row):
                kinds[i] = kind_of(cell, kinds[i])
    return names, kinds


def to_feature(cell, kind):
    """A cell as TFX writes it: a missing one is an empty list of the column's kind."""
    if kind is int:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(cell)] if cell else []))
    if kind is float:
        return tf.train.Feature(float_list=tf.train.FloatList(value=[float(cell)] if cell else []))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[cell.encode()] if cell else []))


def write_examples(path, folder):
    """Rows of the table as examples in the splits where TFX puts them; how many each has."""
    names, kinds = learn_kinds(path)
    writers = []
    for split in SPLITS:
        (folder / split).mkdir(parents=True)
        writers.append(tf.io.TFRecordWriter(str(folder / split / "data.gz"), options="GZIP"))
    counts = [0] * len(SPLITS)
    with open(path, newline="", encoding="utf-8") as text:
        rows = csv.reader(text)
        next(rows)
        for row in rows:
            features = {name: to_feature(cell, kind) for name, cell, kind in zip(names, row, kinds)}
            record = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString(deterministic=True)
            bucket = int(hashlib.sha256(record).hexdigest(), 16) % BUCKETS[-1]
            split = bisect.bisect(BUCKETS, bucket)
            counts[split] += 1
            writers[split].write(record)
    for writer in writers:
        writer.close()
    return dict(zip(SPLITS, counts))


def parsing_spec(records):
    """How to parse records like these; a feature without a list says nothing of its type."""
    types = {"int64_list": tf.int64, "float_list": tf.float32, "bytes_list": tf.string}
    spec = {}
    for record in records:
        for name, feature in tf.train.Example.FromString(record).features.feature.items():
            if feature.WhichOneof("kind"):
                spec[name] = tf.io.VarLenFeature(types[feature.WhichOneof("kind")])
    return spec


def read_columns(files):
    """The values of each feature of all records, as arrays."""
    dataset = tf.data.TFRecordDataset(files, compression_type="GZIP").batch(1024)
    spec = parsing_spec(next(iter(dataset)).numpy())
    parsed = dataset.map(lambda batch: tf.io.parse_example(batch, spec), num_parallel_calls=tf.data.AUTOTUNE)
    columns = {name: [] for name in spec}
    for batch in parsed:
        for name, values in batch.items():
            columns[name].append(values.values.numpy())
    return {name: np.concatenate(parts) for name, parts in columns.items()}


def describe(values):
    """What statistics-gen says of a feature."""
    if values.dtype == object:
        unique, counts = np.unique(values, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:1000]
        return {"unique": len(unique), "top": [unique[i].decode() for i in order],
                "length": float(np.mean([len(value) for value in values]))}
    values = values.astype(np.float64)
    return {"mean": values.mean(), "std": values.std(), "zeros": int((values == 0).sum()), "min": values.min(),
            "median": float(np.median(values)), "max": values.max(),
            "histogram": np.histogram(values, HISTOGRAM_BUCKETS)[0].tolist(),
            "quantiles": np.quantile(values, np.linspace(0, 1, HISTOGRAM_BUCKETS + 1)).tolist()}


def describe_splits(examples):
    """Statistics of every feature of every split below a folder of examples."""
    result = {}
    for folder in sorted(examples.glob("Split-*")):
        columns = read_columns([str(file) for file in sorted(folder.iterdir())])
        result[folder.name] = {name: describe(values) for name, values in columns.items()}
    return result


def main():
    verb, arguments = sys.argv[1], [pathlib.Path(argument) for argument in sys.argv[2:]]
    begin = time.monotonic()
    if verb == "example_gen":
        answer = {"counts": write_examples(*arguments)}
    else:
        answer = {"splits": len(describe_splits(*arguments))}
    print(json.dumps({"seconds": time.monotonic() - begin, **answer}))


if __name__ == "__main__":
    main()

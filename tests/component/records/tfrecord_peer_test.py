"""Python TensorFlow reads the TFRecords we write, and we read those it writes."""

import os
import random
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402  (the level must be set first)

COPY = sys.argv.pop(1)


def random_records():
    source = random.Random(7)
    return [source.randbytes(size) for size in [0, 1, 11, 12, 13, 70_000, 600_000] + list(range(40))]


def write(path, records, compression):
    with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions(compression_type=compression)) as writer:
        for record in records:
            writer.write(record)


def read(path, compression):
    return [record.numpy() for record in tf.data.TFRecordDataset(path, compression_type=compression)]


class TfRecordPeerTest(unittest.TestCase):

    def test_records_survive_both_readers_and_writers(self):
        records = random_records()
        for theirs in ["", "GZIP"]:
            for ours in ["none", "gzip"]:
                with self.subTest(theirs=theirs, ours=ours), tempfile.TemporaryDirectory() as folder:
                    write(f"{folder}/in", records, theirs)
                    subprocess.run([COPY, f"{folder}/in", f"{folder}/out", ours], check=True)
                    self.assertEqual(read(f"{folder}/out", "GZIP" if ours == "gzip" else ""), records)


if __name__ == "__main__":
    unittest.main()

"""The penguins' experiment with seeds 0 to 9: the median of the evaluation's accuracies is at least 0.97; prints all.

    penguin_accuracy_test.py TRAINER
"""

import re
import statistics
import subprocess
import sys
import tempfile
import unittest

TRAINER = sys.argv.pop(1)


class PenguinAccuracyTest(unittest.TestCase):
    def accuracy(self, seed):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [TRAINER, "--experiment=penguin/local", "--mode=train_and_post_eval", "--model_dir=" + folder,
                 "--params_override=runtime.seed=%d" % seed],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout)
        return float(re.search(r"^eval .* accuracy: ([0-9.]+)", done.stdout, re.MULTILINE).group(1))

    def test_ten_seeds(self):
        accuracies = [self.accuracy(seed) for seed in range(10)]
        print("accuracy with seeds 0 to 9:", *("%.4f" % value for value in accuracies))
        print("median: %.4f" % statistics.median(accuracies))
        self.assertGreaterEqual(statistics.median(accuracies), 0.97)


if __name__ == "__main__":
    unittest.main()

"""Why there is no GPU, by a driver's library that answers as told: devices_test.py LIBRARY DRIVER"""

import os
import sys
import unittest

sys.path.append(sys.argv.pop(1))
from rekindle_module import devices  # pylint: disable=wrong-import-position
from rekindle_module import failure  # pylint: disable=wrong-import-position

DRIVER = sys.argv.pop(1)


class DevicesTest(unittest.TestCase):

    def why_none(self, version, init, count):
        os.environ["STAND_IN_CUDA"] = "%d %d %d" % (version, init, count)
        return devices.why_no_cuda(DRIVER)

    def test_a_driver_that_shows_a_device_is_fine(self):
        self.assertEqual(self.why_none(12000, 0, 1), "")

    def test_says_what_is_wrong_with_one_that_shows_none(self):
        self.assertIn("there is no NVIDIA driver: libcuda-of-nobody.so.1",
                      devices.why_no_cuda("libcuda-of-nobody.so.1"))
        for answers, words in (
                ((11080, 0, 1), "too old: it runs CUDA 11.8, and TensorFlow needs CUDA 12.0 (driver 525) or later"),
                ((12040, 100, 0), "shows this process no device"),
                ((12040, 0, 0), "shows this process no device"),
                ((12040, 803, 0), "of different versions"),
                ((12040, 999, 0), "refuses with CUDA error 999")):
            with self.subTest(answers=answers):
                self.assertIn(words, self.why_none(*answers))

    def test_a_required_gpu_that_is_not_there_is_refused(self):
        with self.assertRaises(failure.Failure) as refused:
            devices.look(require_gpu=True)
        self.assertEqual(refused.exception.reason, failure.NO_GPU)
        self.assertIn("this TensorFlow is built without CUDA", str(refused.exception))


if __name__ == "__main__":
    unittest.main()

"""The installed package builds examples/cpp_module, and the installed trainer trains its experiment."""

import os
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402  (the level must be set first)

BUILD, SOURCE = sys.argv.pop(1), sys.argv.pop(1)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class PackageTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.prefix = f"{cls.temporary.name}/prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "training")
        cls.build(f"{cls.temporary.name}/line", cls.prefix)
        cls.module = f"{cls.temporary.name}/line/libline.so"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def build(folder, prefix):
        run("cmake", "-G", "Ninja", "-S", f"{SOURCE}/examples/cpp_module", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run("cmake", "--build", folder)

    def train(self, *flags):
        return subprocess.run([f"{self.prefix}/bin/rekindle-trainer", f"--module_file={self.module}", *flags],
                              capture_output=True, text=True)

    def test_the_experiment_of_a_module_trains_and_its_export_is_right(self):
        folder = f"{self.temporary.name}/run"
        trained = self.train("--experiment=line/fit", f"--model_dir={folder}", f"--export_dir={folder}/model",
                             "--params_override=task.noise=0")
        self.assertEqual(trained.returncode, 0, trained.stderr)
        with open(f"{folder}/params.yaml", encoding="utf-8") as file:
            self.assertIn("noise: 0", file.read())
        x = np.random.default_rng().normal(size=[5, 2]).astype(np.float32)
        serve = tf.saved_model.load(f"{folder}/model").signatures["serving_default"]
        np.testing.assert_allclose(serve(x=tf.constant(x))["predictions"], 3 * x[:, 0] - 2 * x[:, 1] + 1, atol=1e-3)

    def test_the_experiments_of_a_module_are_listed_beside_ours(self):
        names = self.train("--experiment=help").stdout.split()
        self.assertIn("line/fit", names)
        self.assertIn("penguin/local", names)

    def test_a_setting_of_the_module_is_checked(self):
        refused = self.train("--experiment=line/fit", f"--model_dir={self.temporary.name}/bad", "--params_override=task.noise=-1")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("task.noise", refused.stderr)

    def test_the_build_tree_is_a_package_too(self):
        run("cmake", "-G", "Ninja", "-S", f"{SOURCE}/examples/cpp_module", "-B", f"{self.temporary.name}/tree",
            f"-DCMAKE_PREFIX_PATH={BUILD}")

    def test_a_tensorflow_of_another_version_is_not_taken(self):
        done = subprocess.run(
            ["cmake", "-S", f"{SOURCE}/examples/cpp_module", "-B", f"{self.temporary.name}/other",
             f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DREKINDLE_TENSORFLOW_DIR={self.temporary.name}"],
            capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("REKINDLE_TENSORFLOW_DIR=... says where it is", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()

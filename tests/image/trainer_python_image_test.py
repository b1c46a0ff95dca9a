"""The image that trains by users' modules in Python."""

import shutil

import containers
import every_image
import pinned_packages
import steps_in_image


class TrainerPythonImageTest(every_image.EveryImage, steps_in_image.StepsInImage, pinned_packages.PinnedPackages,
                             containers.Containers):

    target = "trainer-python"

    def test_a_module_in_python_trains_for_anybody_on_a_read_only_root(self):
        shutil.copytree(containers.REPO / "examples/python_module/penguin_keras", self.dir / "module")
        self.give(self.dir)
        self.prepare()
        trained = self.step("train", module_file="/data/module/penguin_module.py", train_steps=50)
        self.assertIn("devices found: ", self.ok(trained).stderr)
        self.assertTrue(list(self.dir.rglob("Format-Serving/saved_model.pb")))
        self.assert_all_is_the_callers()

    def test_trains_without_a_module_too(self):
        self.prepare()
        self.assertGreater(self.train()["outputs"]["model"]["custom_properties"]["accuracy"], 0.9)

"""What only the Dockerfile's images hold, and so only `./test cluster --docker` runs: modules in Python."""

import shutil

from case import REPO
from steps import StepsCase

EXAMPLE = "examples/python_module"


class PythonModuleTest(StepsCase):

    def test_a_module_in_python_trains_in_a_pod(self):
        shutil.copytree(REPO / EXAMPLE, self.volume("rekindle-artifacts") / EXAMPLE, dirs_exist_ok=True)
        done = self.run_to_its_end(REPO / EXAMPLE / "pipeline.yaml", "-p", "train-steps=20")
        self.assertEqual(self.outputs_of(done, "train")["state"], "COMPLETE")

"""Which process of a cluster writes the model: cluster_test.py LIBRARY"""

import json
import os
import sys
import unittest
from unittest import mock

sys.path.append(sys.argv.pop(1))
from rekindle_module import cluster  # pylint: disable=wrong-import-position


def writes(cluster_spec, role, index=0):
    config = {"cluster": cluster_spec, "task": {"type": role, "index": index}}
    with mock.patch.dict(os.environ, TF_CONFIG=json.dumps(config)):
        return cluster.is_chief()


class ChiefTest(unittest.TestCase):

    def test_a_process_alone_does(self):
        for text in ("", "{}", '{"cluster": {}}'):
            with mock.patch.dict(os.environ, TF_CONFIG=text):
                self.assertTrue(cluster.is_chief(), text)

    def test_a_chief_does_and_nobody_beside_it(self):
        for chief in ("chief", "master"):
            spec = {chief: ["a:1"], "worker": ["b:1"], "ps": ["c:1"], "evaluator": ["d:1"]}
            self.assertEqual([role for role in spec if writes(spec, role)], [chief])

    def test_without_a_chief_the_first_worker_does(self):
        spec = {"worker": ["a:1", "b:1"], "ps": ["c:1"]}
        self.assertTrue(writes(spec, "worker", 0))
        self.assertFalse(writes(spec, "worker", 1))
        self.assertFalse(writes(spec, "ps", 0))


if __name__ == "__main__":
    unittest.main()

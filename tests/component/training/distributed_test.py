"""rekindle-trainer on several devices and in several processes: the weights of one device, whatever happens.

usage: distributed_test.py TRAINER
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import tensorflow as tf

TRAINER = sys.argv.pop(1)
FAILED, USAGE, TRY_AGAIN = 1, 2, 75
STEPS = 120
SGD = ("trainer.optimizer_config.optimizer.type=sgd,trainer.optimizer_config.optimizer.sgd.momentum=0.9,"
       "trainer.optimizer_config.learning_rate.constant.learning_rate=0.05")


def settings(*more, steps=STEPS, loop=20):
    intervals = ",".join("trainer.%s=%d" % (name, loop)
                         for name in ("steps_per_loop", "checkpoint_interval", "summary_interval"))
    return ",".join(["trainer.train_steps=%d" % steps, intervals, *more])


def variables(folder):
    reader = tf.train.load_checkpoint(str(folder))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def dead_address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return "127.0.0.1:%d" % server.getsockname()[1]


class DistributedTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def start(self, name, *flags, override=settings(), environment=None):
        words = [TRAINER, "--experiment=penguin/local", "--model_dir=%s" % (self.dir / name),
                 "--params_override=" + override, *flags]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   env={**os.environ, **(environment or {})})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process, exit_code=0):
        output, _ = process.communicate(timeout=200)
        self.assertEqual(process.returncode, exit_code, output)
        return output

    def train(self, name, *flags, exit_code=0, **more):
        return self.end(self.start(name, *flags, **more), exit_code)

    def assert_same_variables(self, name, expected):
        ours = variables(self.dir / name)
        self.assertEqual(sorted(ours), sorted(expected))
        for variable, value in expected.items():
            np.testing.assert_allclose(ours[variable], value, rtol=0, atol=1e-5, err_msg=variable)

    def test_any_number_of_replicas_gives_the_weights_of_one_device(self):
        for case, more in {"dnn_adam": "", "wide_deep_sgd": "task.model.type=wide_deep," + SGD}.items():
            with self.subTest(case=case):
                override = settings(*filter(None, [more]))
                self.train(case + "_1", override=override)
                expected = variables(self.dir / (case + "_1"))
                self.assertEqual(expected["global_step"], STEPS)
                output = self.train(case + "_4", override=override + ",runtime.num_virtual_cpus=4")
                self.assertIn("Using MirroredStrategy with devices ('/device:CPU:0', ", output)
                self.assert_same_variables(case + "_4", expected)
                output = self.train(case + "_2w", "--workers=2", override=override)
                self.assertIn("Using MultiWorkerMirroredStrategy with 2 workers", output)
                self.assert_same_variables(case + "_2w", expected)

    def test_a_killed_worker_changes_nothing_in_the_end(self):
        override = settings(steps=400, loop=20)
        self.train("expected", override=override)
        expected = variables(self.dir / "expected")
        for victim in range(2):
            with self.subTest(victim=victim):
                name = "killed%d" % victim
                process = self.start(name, "--workers=2", override=override)
                self.wait_for_checkpoint(name, process)
                os.kill(self.children(process)[victim], signal.SIGKILL)
                output = self.end(process)
                self.assertIn("worker %d was ended by signal 9" % victim, output)
                self.assertIn("starting all 2 workers again, from the last checkpoint (1 of 3)", output)
                self.assertIn("restored step ", output)
                self.assert_same_variables(name, expected)

    def test_a_job_that_is_stopped_writes_a_checkpoint_and_goes_on_from_it(self):
        override = settings(steps=400, loop=20)
        self.train("expected", override=override)
        process = self.start("stopped", "--workers=2", override=override)
        self.wait_for_checkpoint("stopped", process)
        process.terminate()
        output = self.end(process, 128 + signal.SIGTERM)
        self.assertIn("the same command continues from its checkpoint", output)
        self.assertLess(variables(self.dir / "stopped")["global_step"], 400)
        self.assertIn("restored step ", self.train("stopped", "--workers=2", override=override))
        self.assert_same_variables("stopped", variables(self.dir / "expected"))

    def test_a_failure_that_a_retry_does_not_change_is_not_retried(self):
        output = self.train("wrong", "--workers=2", override="trainer.no_such_setting=1", exit_code=FAILED)
        self.assertIn("no_such_setting", output)
        self.assertNotIn("again", output)

    def test_wrong_usage_says_so(self):
        for flags, environment, sentence in [
            (["--workers=0"], {}, "--workers is '0', expected a number from 1 to 64"),
            (["--workers=two"], {}, "--workers is 'two'"),
            (["--workers=2", "--worker_restarts=-1"], {}, "--worker_restarts is '-1'"),
            (["--workers=2", "--mode=eval"], {}, "--workers is for training, but --mode is 'eval'"),
            (["--workers=2"], {"TF_CONFIG": json.dumps(
                {"cluster": {"worker": ["localhost:1"]}, "task": {"type": "worker", "index": 0}})},
             "TF_CONFIG names workers already"),
            (["--worker_timeout=soon"], {}, "--worker_timeout is 'soon'"),
        ]:
            with self.subTest(flags=flags):
                self.assertIn(sentence, self.train("unused", *flags, environment=environment, exit_code=USAGE))

    def test_a_malformed_tf_config_is_an_error(self):
        output = self.train("malformed", environment={"TF_CONFIG": '{"cluster": {"ps": ["a:1"]}, "task": {}}'},
                            exit_code=FAILED)
        self.assertIn('TF_CONFIG: the role "ps" is refused', output)

    def test_a_worker_that_cannot_be_reached_is_named(self):
        addresses = [dead_address(), dead_address()]
        config = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": 0}}
        output = self.train("alone", "--worker_timeout=2", environment={"TF_CONFIG": json.dumps(config)},
                            exit_code=TRY_AGAIN)
        self.assertIn("cannot reach worker 1 (%s)" % addresses[1], output)

    def children(self, process):
        """The pids of the workers, in their order: they are started one after the other."""
        return sorted(map(int, pathlib.Path("/proc/%d/task/%d/children" % (process.pid, process.pid))
                          .read_text().split()))

    def wait_for_checkpoint(self, name, process):
        deadline = time.monotonic() + 100
        while not (self.dir / name / "checkpoint").exists():
            self.assertIsNone(process.poll(), "it has ended already")
            self.assertLess(time.monotonic(), deadline, "it does not happen")
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()

"""Several processes that train together: the same weights as one, and what happens when one dies.

usage: workers_test.py TRAIN_TINY
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

TRAIN_TINY = sys.argv.pop(1)
TRY_AGAIN = 75
STEPS = 60
ENVIRONMENT = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}


def free_addresses(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = ["127.0.0.1:%d" % s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return addresses


def tf_config(addresses, index):
    return json.dumps({"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}})


def numbers(output, name):
    [line] = [line for line in output.splitlines() if line.startswith(name + ": ")]
    return [float(word) for word in line.split()[1:]]


def weights(output):
    return numbers(output, "weights")


class WorkersTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def words(self, state, *flags, virtual_cpus=0, steps=STEPS):
        return [TRAIN_TINY, str(self.dir / state), str(steps), str(virtual_cpus), *flags]

    def start(self, words, config=None):
        environment = dict(ENVIRONMENT)
        if config:
            environment["TF_CONFIG"] = config
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_alone(self, *flags, **more):
        process = self.start(self.words("alone", *flags, **more))
        output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, output)
        return output

    def start_workers(self, state, count, *flags, **more):
        addresses = free_addresses(count)
        return [self.start(self.words(state, *flags, **more), tf_config(addresses, i))
                for i in range(count)], addresses

    def assert_same_weights(self, ours, expected):
        self.assertEqual(len(ours), len(expected))
        self.assertGreater(max(abs(w) for w in expected), 0.01)
        for one, other in zip(ours, expected):
            self.assertAlmostEqual(one, other, delta=1e-5)

    def test_mirrored_and_workers_give_the_weights_of_one_device(self):
        alone = self.run_alone()
        expected, [loss] = weights(alone), numbers(alone, "loss")
        (self.dir / "alone").unlink()
        mirrored = self.run_alone(virtual_cpus=4)
        self.assertIn("Using MirroredStrategy with devices ('/device:CPU:0', '/device:CPU:1', ", mirrored)
        self.assert_same_weights(weights(mirrored), expected)
        for count, virtual_cpus in [(2, 0), (3, 2)]:
            with self.subTest(workers=count, virtual_cpus=virtual_cpus):
                workers, _ = self.start_workers("w%d" % count, count, virtual_cpus=virtual_cpus)
                for worker in workers:
                    output, _ = worker.communicate(timeout=120)
                    self.assertEqual(worker.returncode, 0, output)
                    self.assert_same_weights(weights(output), expected)
                    self.assertAlmostEqual(numbers(output, "loss")[0], loss, delta=1e-5)

    def test_each_worker_notices_the_death_of_another_and_names_it(self):
        for victim in range(3):
            with self.subTest(victim=victim):
                mark = self.dir / ("died%d" % victim)
                workers, addresses = self.start_workers("death%d" % victim, 3, "--die=%d,25,%s" % (victim, mark))
                outputs = [worker.communicate(timeout=60)[0] for worker in workers]
                self.assertEqual(workers[victim].returncode, -signal.SIGKILL)
                survivors = [i for i in range(3) if i != victim]
                for i in survivors:
                    self.assertEqual(workers[i].returncode, TRY_AGAIN, outputs[i])
                    self.assertIn("UNAVAILABLE: worker ", outputs[i])
                # Who is looked at first may have gone for the same reason; somebody saw the first cause.
                named = "worker %d (%s) is gone" % (victim, addresses[victim])
                self.assertTrue(any(named in outputs[i] for i in survivors), outputs)

    def test_the_job_is_started_again_and_ends_with_the_same_weights(self):
        expected = weights(self.run_alone())
        for victim in range(2):
            with self.subTest(victim=victim):
                mark = self.dir / ("once%d" % victim)
                output = self.run_job("job%d" % victim, "--die=%d,37,%s" % (victim, mark))
                self.assertTrue(mark.exists())
                self.assertIn("worker %d was ended by signal 9" % victim, output)
                self.assertIn("starting all 2 workers again, from the last checkpoint (1 of 3)", output)
                chief = "\n".join(line for line in output.splitlines() if not line.startswith("[worker "))
                self.assert_same_weights(weights(chief), expected)

    def run_job(self, state, *flags, exit_code=0):
        process = self.start(self.words(state, "--workers=2", *flags))
        output, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, exit_code, output)
        return output

    def test_a_job_that_dies_again_and_again_is_given_up(self):
        output = self.run_job("hopeless", "--restarts=1", "--die=1,5,/no/such/folder/mark", exit_code=128 + signal.SIGKILL)
        self.assertEqual(output.count("worker 1 was ended by signal 9"), 2, output)

    def test_what_others_print_is_marked(self):
        output = self.run_job("marked")
        self.assertEqual(output.count("\n[worker 1] weights: ") + output.startswith("[worker 1] weights: "), 1, output)

    def test_no_worker_survives_the_process_that_started_it(self):
        process = self.start(self.words("orphans", "--workers=2", steps=10**9))
        self.wait_until(lambda: (self.dir / "orphans").exists())
        children = [int(pid) for pid in
                    pathlib.Path("/proc/%d/task/%d/children" % (process.pid, process.pid)).read_text().split()]
        self.assertEqual(len(children), 2)
        process.kill()
        self.wait_until(lambda: not any(pathlib.Path("/proc/%d" % pid).exists() for pid in children))

    def test_a_signal_ends_the_job(self):
        process = self.start(self.words("stopped", "--workers=2", steps=10**9))
        self.wait_until(lambda: (self.dir / "stopped").exists())
        process.terminate()
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, output)
        self.assertNotIn("again", output)

    def test_a_worker_that_never_comes_is_named(self):
        addresses = free_addresses(2)
        process = self.start(self.words("waiting", "--worker_timeout=2"), tf_config(addresses, 0))
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, TRY_AGAIN, output)
        self.assertIn("waiting for worker 1 (%s)" % addresses[1], output)
        self.assertIn("UNAVAILABLE: cannot reach worker 1 (%s)" % addresses[1], output)

    def test_a_port_that_is_taken_is_an_error(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        process = self.start(self.words("taken"), tf_config([address, *free_addresses(1)], 0))
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, TRY_AGAIN, output)
        self.assertIn("the server of worker 0 (%s) cannot start" % address, output)

    def wait_until(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it does not happen")
            time.sleep(0.02)


if __name__ == "__main__":
    unittest.main()

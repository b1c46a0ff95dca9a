"""rekindle train, started once for each process of a cluster that TF_CONFIG names: one execution, one model."""

import json
import os
import signal
import socket
import subprocess
import sys

import served
import workspace

TRY_AGAIN, USAGE, FAILED = 75, 2, 1

# A trainer of another kind: what is not the chief works until it is stopped, and so does a chief that is told to.
TRAINER = """#!/usr/bin/python3
import json, os, pathlib, sys, time
task = json.loads(os.environ["TF_CONFIG"])["task"]
print("begun as", task["type"], flush=True)
fn_args = json.load(open(sys.argv[1].split("=", 1)[1]))
if task["type"] == "worker":  # writes into the chief's folder as long as it lives
    with open(fn_args["model_run_dir"] + "/events", "w") as events:
        while True:
            print("event", file=events, flush=True)
            time.sleep(0.01)
if "events" in (fn_args["custom_config"] or {}):
    while not os.path.exists(fn_args["model_run_dir"] + "/events"):
        time.sleep(0.01)
while task["type"] != "chief" or "wait" in (fn_args["custom_config"] or {}):
    time.sleep(0.1)
pathlib.Path(fn_args["serving_model_dir"]).mkdir(parents=True)
pathlib.Path(fn_args["serving_model_dir"], "saved_model.pb").touch()
pathlib.Path(fn_args["output_path"]).write_text(json.dumps({
    "error": None, "train_complete": True, "global_step": 1, "resumed_from_step": None, "metrics": {},
    "warm_start": None, "environment": {}}))
"""

# A module in Python that notes its role. A parameter server works until it is stopped, the others until all have begun.
MODULE = """
import json, os, pathlib, time

def run_fn(fn_args):
    role = json.loads(os.environ["TF_CONFIG"])["task"]["type"]
    roles = pathlib.Path(fn_args.custom_config["roles"])
    with roles.open("a") as file:
        file.write(role + "\\n")
    while role == "ps" or len(roles.read_text().splitlines()) < 3:
        time.sleep(0.1)
    if role == "chief":
        pathlib.Path(fn_args.serving_model_dir).mkdir(parents=True)
        pathlib.Path(fn_args.serving_model_dir, "saved_model.pb").touch()
"""


def free_addresses(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = ["127.0.0.1:%d" % s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return addresses


class TrainClusterTest(served.ServedWorkspace):

    def cluster(self, **sizes):
        """A cluster with so many processes of each role."""
        return {role: free_addresses(size) for role, size in sizes.items()}

    def start(self, cluster, role, index, **flags):
        flags = {"pipeline": "penguin", "metadata": "sqlite:%s" % self.db, "pipeline_root": self.root, "run_id": "r1",
                 "label_key": "species", "output": "json", "train_steps": 200, **flags}
        config = {"cluster": cluster, "task": {"type": role, "index": index}}
        process = subprocess.Popen(
            self.command("train", **{name: value for name, value in flags.items() if value is not None}),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.dir,
            env={**workspace.ENVIRONMENT, "TF_CONFIG": json.dumps(config)})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process, exit_code=0):
        """Waits for it; its report and its last line on stderr."""
        stdout, stderr = process.communicate(timeout=200)
        self.assertEqual(process.returncode, exit_code, stderr)
        return json.loads(stdout) if stdout else None, stderr.strip().rpartition("\n")[2]

    def wait_for_line(self, process, start):
        for line in process.stderr:
            if line.startswith(start):
                return
        self.fail("it ended without a line that starts with '%s'" % start)

    def other_trainer(self):
        trainer = self.dir / "trainer"
        trainer.write_text(TRAINER)
        trainer.chmod(0o755)
        return {"trainer": trainer, "skip_validation": "true", "lease": "2s"}

    def module(self):
        """The flags of a step that runs it, and the file of the roles."""
        module, roles = self.dir / "module.py", self.dir / "roles"
        module.write_text(MODULE)
        return {"module_file": module, "python": sys.executable, "skip_validation": "true", "lease": "2s",
                "custom_config": json.dumps({"roles": str(roles)})}, roles

    def assert_one_model(self, chief, worker):
        """Of two reports: the chief's has a model, the worker only took part; nothing is left over."""
        self.assertEqual((chief["state"], worker["execution_id"]), ("COMPLETE", chief["execution_id"]))
        self.assertEqual(worker["outputs"], {})
        models = self.query("list", "artifacts", "--type=Model")
        self.assertEqual([model["id"] for model in models], [chief["outputs"]["model"]["id"]])
        visible = [name for name in self.published("Trainer", "model") if not name.startswith(".staging-")]  # a killed one's
        self.assertEqual(visible, [str(chief["execution_id"])])
        self.assertEqual(list(self.root.glob("Trainer/.system/executor_execution/*/*/scratch")), [])

    def test_two_workers_make_one_model(self):
        self.prepare()
        cluster = self.cluster(worker=2)
        worker = self.start(cluster, "worker", 1)  # first: it waits for the chief
        self.wait_for_line(worker, "worker 1 follows the chief of r1/Trainer")
        chief = self.start(cluster, "worker", 0)
        report, _ = self.end(chief)
        part, _ = self.end(worker)
        self.assertEqual(part["role"], "worker 1")
        self.assert_one_model(report, part)
        self.assertEqual(report["outputs"]["model"]["custom_properties"]["global_step"], 200)

    def test_after_a_killed_chief_all_go_on_from_its_checkpoint_over_a_server(self):
        self.prepare()
        server = self.serve()
        flags = {"metadata": server.url, "lease": "2s", "train_steps": 2000,
                 "custom_config": '{"checkpoint_interval": 100}'}
        cluster = self.cluster(chief=1, worker=1)
        chief = self.start(cluster, "chief", 0, **flags)
        worker = self.start(cluster, "worker", 0, **flags)
        self.wait_for_line(chief, "train | step:    200")
        chief.kill()
        self.end(worker, TRY_AGAIN)

        chief = self.start(cluster, "chief", 0, **flags)
        self.wait_for_line(chief, "Using MultiWorkerMirroredStrategy")  # the lease of the killed one has ended
        worker = self.start(cluster, "worker", 0, **flags)
        report, _ = self.end(chief)
        part, _ = self.end(worker)
        self.assert_one_model(report, part)
        self.assertEqual((report["attempt"], part["attempt"]), (2, 2))
        self.assertGreaterEqual(report["execution_properties"]["resumed_from_step"], 100)

    def test_a_parameter_server_ends_with_its_chief(self):
        self.prepare()
        flags = self.other_trainer()
        cluster = self.cluster(chief=1, ps=1)
        servers = [self.start(cluster, "ps", 0, **flags), self.start(cluster, "evaluator", 0, **flags)]
        report, _ = self.end(self.start(cluster, "chief", 0, **flags))
        for server in servers:
            part, _ = self.end(server)
            self.assertEqual(part["outputs"], {})
        self.assertEqual(self.states()[-1], "COMPLETE")
        self.assertEqual(len(self.query("list", "artifacts", "--type=Model")), 1)
        self.assertEqual(report["attempt"], 1)

    def test_a_worker_that_still_writes_does_not_change_what_is_published(self):
        self.prepare()
        flags = {**self.other_trainer(), "custom_config": '{"events": true}'}
        cluster = self.cluster(chief=1, worker=1)
        worker = self.start(cluster, "worker", 0, **flags)
        report, _ = self.end(self.start(cluster, "chief", 0, **flags))
        self.end(worker)
        self.assertTrue(os.path.exists(report["outputs"]["model_run"]["uri"] + "/events"))
        self.ok(self.run_command("metadata", "check", "--full", db=self.db))

    def test_a_module_in_python_has_every_role_and_writes_one_model(self):
        self.prepare()
        flags, roles = self.module()
        cluster = self.cluster(chief=1, worker=1, ps=1)
        processes = [self.start(cluster, role, 0, **flags) for role in cluster]
        chief, worker, server = (self.end(process)[0] for process in processes)
        self.assertEqual(sorted(roles.read_text().splitlines()), ["chief", "ps", "worker"])
        self.assert_one_model(chief, worker)
        self.assert_one_model(chief, server)

    def test_a_parameter_server_of_a_killed_chief_may_be_tried_again(self):
        self.prepare()
        flags = {**self.other_trainer(), "custom_config": '{"wait": true}'}
        cluster = self.cluster(chief=1, ps=1)
        chief = self.start(cluster, "chief", 0, **flags)
        server = self.start(cluster, "ps", 0, **flags)
        self.wait_for_line(server, "begun as ps")
        chief.kill()
        _, last = self.end(server, TRY_AGAIN)
        self.assertIn("the chief of attempt 1 vanished", last)

    def test_whoever_waits_for_a_chief_can_be_stopped(self):
        worker = self.start(self.cluster(worker=2), "worker", 1)
        self.wait_for_line(worker, "worker 1 follows the chief")
        os.kill(worker.pid, signal.SIGINT)
        self.end(worker, 128 + signal.SIGINT)
        worker = self.start(self.cluster(worker=2), "worker", 1, chief_timeout="10ms")
        _, last = self.end(worker, TRY_AGAIN)
        self.assertIn("no chief came to work on r1/Trainer", last)

    def test_what_cannot_be_is_refused(self):
        cluster = self.cluster(worker=2)
        for flags, role, index, sentence in [
                ({"run_id": None}, "worker", 1, "--run-id is missing: TF_CONFIG makes this process worker 1"),
                ({"workers": 2}, "worker", 0, "--workers starts processes on this machine, but TF_CONFIG"),
                ({}, "worker", 2, "TF_CONFIG: the task is worker 2, which the cluster does not list"),
                ({}, "wroker", 0, 'TF_CONFIG: there is no role "wroker"; did you mean "worker"?')]:
            with self.subTest(sentence=sentence):
                _, last = self.end(self.start(cluster, role, index, **flags), USAGE)
                self.assertTrue(last.startswith("rekindle: "), last)
                self.assertIn(sentence, last)
        self.assertEqual(self.rows("Execution"), 0)

    def test_the_native_trainer_has_no_parameter_servers(self):
        self.prepare()
        cluster = self.cluster(chief=1, ps=1)
        server = self.start(cluster, "ps", 0)
        self.wait_for_line(server, "ps 0 follows the chief")
        _, last = self.end(self.start(cluster, "chief", 0), FAILED)
        self.assertIn('the role "ps" is refused: parameter servers are not supported', last)
        _, last = self.end(server, FAILED)
        self.assertIn('the role "ps" is refused', last)


if __name__ == "__main__":
    workspace.main()

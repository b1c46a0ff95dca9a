"""What a cluster does to steps: pods that vanish, too little memory, a metadata server that dies. Nothing is lost."""

import json
import secrets

from steps import StepsCase, data_tasks, task, training, workflow

# Half a minute or more on a fast machine: time enough to do something to it.
STEPS = 120000
LONG = {"train_steps": STEPS, "custom_config": '{"checkpoint_interval": 2000, "hidden_units": [256, 256]}'}

# Where control groups are of version 2, kubelet has the kernel kill a whole container that is out of memory, the launcher
# with the work. This does the same where they are not: it holds the launcher, which would record what happens, spends
# more memory than the container has, and has the launcher killed. The launcher is the parent of the guard, our parent.
KILLED_WHOLE = """
[ ! -e {mark} ] || exit 0
touch {mark}
read -r _ _ _ launcher _ </proc/$PPID/stat
kill -STOP $launcher
dd if=/dev/zero of=/dev/null bs=1G count=1
kill -9 $launcher
sleep 60
"""


class LossesTest(StepsCase):

    def setUp(self):
        self.pipeline = "losses-" + secrets.token_hex(4)

    def submit_training(self, **trainer):
        return self.submit_object(workflow("losses", [*data_tasks(self.pipeline), training(self.pipeline, **trainer)]))

    def training_pod(self, name):
        """The pod that is training, once a checkpoint is written."""
        root = self.volume("rekindle-artifacts") / "pipelines" / self.pipeline
        self.until("a checkpoint", 240, lambda: list(root.rglob("*.index")))
        pods = [p["metadata"]["name"] for p in self.pods_of(name)
                if "trainer" in p["metadata"]["name"] and p["status"]["phase"] == "Running"]
        self.assertEqual(len(pods), 1, pods)
        return pods[0]

    def test_a_deleted_pod_is_replaced_and_resumes_from_its_checkpoint(self):
        name = self.submit_training(**LONG)
        self.kubectl("delete", "pod", "-n", self.namespace, self.training_pod(name), "--wait=false")
        done = self.succeeded(name, seconds=600)
        report = json.loads(self.outputs_of(done, "train")["report"])
        self.assertEqual(report["attempt"], 2)
        self.assertGreaterEqual(report["execution_properties"]["resumed_from_step"], 500)

    def test_a_trainer_without_memory_is_recorded_as_such(self):
        name = self.submit_training(train_steps=10, memory="192Mi", retries=1, custom_config='{"hidden_units": [8192, 8192]}')
        failed = self.wait_for(name, seconds=600)
        self.assertEqual(failed["status"]["phase"], "Failed", self.account_of(failed))
        trained = self.execution(failed)
        self.assertEqual(trained["last_known_state"], "FAILED")
        self.assertEqual([a["failure_reason"] for a in self.attempts(trained)], ["OUT_OF_MEMORY"] * 2)

    def test_a_container_that_is_killed_whole_is_recorded_by_the_next_attempt_or_the_reaper(self):
        def killed(name, node, retries):
            return task(name, "exec", self.pipeline, node_id=node, retries=retries, memory="192Mi", no_cache="true",
                        script=KILLED_WHOLE.format(mark="%s-%s" % (self.pipeline, node)))

        done = self.wait_for(self.submit_object(workflow("losses", [killed("again", "Again", 1), killed("once", "Once", 0)])),
                             seconds=600)
        self.assertEqual(done["status"]["phase"], "Failed", self.account_of(done))
        again, once = self.execution(done, "Again"), self.execution(done, "Once")
        self.assertEqual((again["last_known_state"], once["last_known_state"]), ("COMPLETE", "FAILED"), self.account_of(done))
        self.assertEqual([a.get("failure_reason") for a in self.attempts(again)], ["OUT_OF_MEMORY", None])
        self.assertEqual([a.get("failure_reason") for a in self.attempts(once)], ["OUT_OF_MEMORY"])

    @staticmethod
    def attempts(execution):
        return json.loads(execution["custom_properties"]["attempts"])

    def test_steps_wait_for_a_metadata_server_that_was_killed_and_nothing_is_lost(self):
        name = self.submit_training(**LONG)
        pod = self.training_pod(name)
        run = self.workflow(name)["metadata"]["uid"]
        before = self.records_but_of(run)
        self.serve(0)
        self.until("the end of training", 240, lambda: "train | step: %6d" % STEPS in self.log_of(pod))
        self.until("a step that waits", 60, lambda: "the metadata store does not answer" in self.log_of(pod))
        self.serve(1)
        done = self.succeeded(name, seconds=600)
        report = json.loads(self.outputs_of(done, "train")["report"])
        self.assertEqual((report["state"], report["attempt"]), ("COMPLETE", 1))
        self.assertEqual(before - self.records_but_of(run), set())

    def test_a_step_that_ends_while_its_pod_is_deleted_has_its_outputs_all_the_same(self):
        """Argo's own container of the pod ends at once, and cannot read what is written later. (That the outputs are then
        missing without being missed takes ARGO_POD_STATUS_CAPTURE_FINALIZER, which is not Argo's default.)"""
        mark = self.volume("rekindle-artifacts") / self.pipeline
        script = "until [ -e %s ]; do sleep 0.2; done; echo the work is done" % self.pipeline
        name = self.submit_object(workflow("losses", [task("work", "exec", self.pipeline, node_id="Work", script=script)]))
        (pod,) = self.until("a pod that works", 60, lambda: [
            p["metadata"]["name"] for p in self.pods_of(name) if p["status"]["phase"] == "Running"])
        self.until("its record", 60, lambda: self.ask_metadata("list", "executions", "--pipeline=" + self.pipeline, "-o", "json") != "[]\n")
        self.serve(0)
        self.addCleanup(self.serve, 1)
        mark.touch()
        self.until("a step that cannot publish", 60, lambda: "does not answer" in self.log_of(pod).partition("the work is done")[2])
        self.kubectl("delete", "pod", "-n", self.namespace, pod, "--wait=false")
        self.until("Argo's container, which does not wait", 60, lambda: "Main container completed" in self.log_of(pod, "wait"))
        self.serve(1)
        done = self.succeeded(name, seconds=300)
        outputs = self.outputs_of(done, "work")
        self.assertEqual(outputs["state"], "COMPLETE", outputs)
        self.assertEqual(json.loads(outputs["report"])["attempt"], 1)

    def serve(self, replicas):
        """As many metadata servers; those that are too many are killed."""
        self.kubectl("scale", "-n", self.namespace, "deployment/rekindle-metadata", "--replicas=%d" % replicas)
        if not replicas:
            self.kubectl("delete", "pod", "-n", self.namespace, "-l", "app.kubernetes.io/component=metadata", "--force",
                         "--grace-period=0")

    def records_but_of(self, run):
        """All records, as they are exported, but the executions of one run, which go on."""
        return {line for line in self.ask_metadata("export").splitlines()
                if run not in line and not line.startswith(('{"header"', '{"end"'))}

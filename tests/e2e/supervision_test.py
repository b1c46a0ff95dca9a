"""A step and the process that does its work: how it ends, and what is said of it."""

import json
import os
import signal
import sqlite3
import subprocess
import time

import served
import workspace

OK, FAILED, TRY_AGAIN = 0, 1, 75


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class SupervisionTest(served.ServedWorkspace):

    def words(self, script, *flags, run="r1", store=None):
        store = store or "sqlite:%s" % self.db
        return self.command("exec", *flags, pipeline="p", node="N", run_id=run, pipeline_root=self.root, metadata=store,
                            format="json", termination_log=self.dir / "why") + [
                                "--output", "o=Text", "--", "sh", "-c", script]

    def exec(self, script, *flags, environment=None, **more):
        return subprocess.run(self.words(script, *flags, **more), capture_output=True, text=True, cwd=self.dir,
                              env={**workspace.ENVIRONMENT, **(environment or {})}, timeout=120)

    def start(self, script, *flags, **more):
        """Returns once the script has printed `ready` and, behind it, a number."""
        process = subprocess.Popen(self.words(script, *flags, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.dir, env=workspace.ENVIRONMENT)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if line.startswith("ready"):
                return process, int(line.split()[1])
        self.fail("it did not start")

    def execution(self):
        [execution] = self.query("list", "executions")
        return self.query("get", "execution", execution["id"])

    def assert_failed(self, result, exit_code, reason):
        """On the execution, in the termination log and on stderr."""
        self.assertEqual(result.returncode, exit_code, result.stderr)
        self.assert_recorded(reason)
        last = result.stderr.strip().splitlines()[-1]
        self.assertTrue(last.endswith("[%s]" % reason), last)
        self.assertTrue((self.dir / "why").read_text().startswith(reason + ": "))
        return self.execution()["custom_properties"]

    def test_an_exit_code_is_told_everywhere_and_forgotten_when_repaired(self):
        properties = self.assert_failed(self.exec("echo Traceback; exit 3"), FAILED, "CHILD_EXIT_CODE")
        self.assertEqual(properties["exit_code"], 3)
        self.assertEqual(properties["failure_log_tail"], "Traceback\n")
        self.assertGreater(properties["peak_rss_bytes"], 0)
        self.ok(self.exec("echo fine > {{outputs.o.uri}}/x"))
        repaired = self.execution()["custom_properties"]
        self.assertEqual(repaired["attempt"], 2)
        for name in ("failure_reason", "failure_log_tail", "exit_code", "__execution_result__"):
            self.assertNotIn(name, repaired)
        self.assertEqual(json.loads(repaired["attempts"])[0]["failure_reason"], "CHILD_EXIT_CODE")

    def test_a_child_that_somebody_kills_may_be_tried_again(self):
        properties = self.assert_failed(self.exec("kill -9 $$"), TRY_AGAIN, "CHILD_SIGNAL")
        self.assertEqual(properties["signal"], signal.SIGKILL)

    def test_a_crash_is_not_worth_another_try(self):
        self.assert_failed(self.exec("kill -SEGV $$"), FAILED, "CHILD_SIGNAL")

    def test_a_command_that_does_not_end_is_stopped_in_time(self):
        result = self.exec("trap '' TERM; while :; do sleep 0.1; done", "--deadline=1s")
        self.assert_failed(result, TRY_AGAIN, "DEADLINE")

    def test_the_earlier_deadline_counts(self):
        result = self.exec("sleep 1000", "--deadline=1h", environment={"ARGO_DEADLINE": "2020-01-01T00:00:00Z"})
        self.assert_failed(result, TRY_AGAIN, "DEADLINE")

    def test_argos_zero_time_is_no_deadline(self):
        self.ok(self.exec("echo > {{outputs.o.uri}}/x", environment={"ARGO_DEADLINE": "0001-01-01T00:00:00Z"}))

    def test_a_deadline_that_is_none_is_refused(self):
        self.assert_refused(self.exec("true", "--deadline=soon"), 2, "--deadline", "soon")

    def test_progress_reaches_argo(self):
        progress = self.dir / "progress"
        self.ok(self.exec("echo 7/9 > $REKINDLE_PROGRESS_FILE; echo > {{outputs.o.uri}}/x",
                          environment={"ARGO_PROGRESS_FILE": str(progress)}))
        self.assertEqual(progress.read_text(), "7/9")

    def test_a_second_ctrl_c_ends_the_grace_at_once(self):
        process, child = self.start("trap 'echo stopping' TERM; echo ready $$; while :; do sleep 0.05; done", "--grace=1h")
        process.send_signal(signal.SIGINT)
        self.wait_until(lambda: process.stderr.readline().startswith("stopping"))
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertFalse(is_running(child))
        self.assertEqual(self.states(), ["CANCELED"])

    def test_a_killed_launcher_leaves_no_process_and_reap_closes_its_execution(self):
        # A daemon: it has left the child's process group and lost its parents.
        process, daemon = self.start("(setsid sleep 1000 & echo ready $!) & sleep 1000", "--lease=1s")
        reap = self.command("reap", "--folder-age=0s", db=self.db, pipeline_root=self.root, output="json")
        live = json.loads(self.ok(subprocess.run(reap, capture_output=True, text=True)).stdout)
        self.assertEqual((live["closed"], live["still_running"]), ([], 1))
        process.kill()
        self.wait_until(lambda: not is_running(daemon))
        self.assertEqual(self.states(), ["RUNNING"])
        self.wait_until(lambda: json.loads(subprocess.run(reap, capture_output=True).stdout)["closed"])
        self.assertEqual(self.states(), ["FAILED"])
        self.assert_recorded("LAUNCHER_LOST")
        self.assertEqual(self.published("N", "o"), [], "its staging folder is gone")
        self.ok(self.exec("echo > {{outputs.o.uri}}/x"))

    def test_reap_waits_for_the_lease_of_a_process_that_vanished_just_now(self):
        process, _ = self.start("echo ready 1; sleep 1000", "--lease=2s")
        process.kill()
        process.wait()
        reap = self.ok(self.run_command("reap", wait="1m", db=self.db, output="json"))
        report = json.loads(reap.stdout)
        self.assertEqual((len(report["closed"]), report["still_running"]), (1, 0))
        self.assertEqual(self.states(), ["FAILED"])

    def test_the_next_attempt_records_what_argo_says_of_the_last(self):
        process, _ = self.start("echo ready 1; sleep 1000", "--lease=1s")
        process.kill()
        process.wait()
        self.ok(self.exec("echo > {{outputs.o.uri}}/x", "--previous-failure=main: OOMKilled (exit code 137)"))
        [lost, _] = json.loads(self.execution()["custom_properties"]["attempts"])
        self.assertEqual((lost["state"], lost["failure_reason"]), ("LOST", "OUT_OF_MEMORY"))

    def test_a_store_that_is_locked_is_waited_for(self):
        process, _ = self.start("echo ready 1; read -r line < %s/go; echo > {{outputs.o.uri}}/x" % self.fifo(), "--lease=3s")
        with sqlite3.connect(self.db, isolation_level=None) as connection:
            connection.execute("BEGIN IMMEDIATE")
            (self.dir / "go").write_text("\n")
            time.sleep(13)  # longer than SQLite itself waits, and than the lease
            self.assertIsNone(process.poll(), "it does not give up")
            connection.execute("ROLLBACK")
        self.assertEqual(process.wait(timeout=60), OK)
        self.assertEqual(self.states(), ["COMPLETE"])

    def test_a_server_that_is_restarted_is_waited_for(self):
        server = self.serve()
        process, _ = self.start("echo ready 1; read -r line < %s/go; echo > {{outputs.o.uri}}/x" % self.fifo(),
                                store=server.url)
        server.stop()
        (self.dir / "go").write_text("\n")
        self.wait_until(lambda: list(self.root.glob("N/o/.staging-*/x")))
        self.serve(grpc_port=server.grpc.rsplit(":", 1)[1])
        self.assertEqual(process.wait(timeout=120), OK)
        self.assertEqual(self.states(), ["COMPLETE"])

    def test_a_store_that_stays_away_is_worth_another_try(self):
        server = self.serve()
        process, _ = self.start("echo ready 1; read -r line < %s/go; echo > {{outputs.o.uri}}/x" % self.fifo(),
                                "--store-timeout=1s", "--lease=2s", store=server.url)
        server.stop()
        (self.dir / "go").write_text("\n")
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, TRY_AGAIN, errors)
        self.assertTrue(errors.strip().endswith("[STORE_UNREACHABLE]"), errors)
        self.assertEqual(self.states(), ["RUNNING"], "nobody could say otherwise")
        self.ok(self.exec("echo again > {{outputs.o.uri}}/x"))
        self.assertEqual(self.states(), ["COMPLETE"])

    def fifo(self):
        """A pipe named `go` that a script waits at."""
        os.mkfifo(self.dir / "go")
        return self.dir


if __name__ == "__main__":
    workspace.main()

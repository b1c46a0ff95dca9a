"""The world around a step misbehaves: the disk, the store, the clock, a second launcher."""

import json
import signal
import sqlite3
import time

import faulty_step
from faulty_step import kill, wait_for
import served
import workspace

LOCKED_SECONDS = 30
ONE_HOUR = 3600
CONFLICT = 4


class DiskTest(faulty_step.FaultyStep):

    def test_the_disk_is_full_when_it_publishes(self):
        for stage in ("executed", "announced", "renamed"):
            with self.subTest(stage=stage):
                self.begin_anew()
                step = self.start_until(stage, preload=True)
                (self.faults / "full").touch()
                step.send_signal(signal.SIGCONT)
                refused = self.answer(step)
                self.assertEqual(refused.returncode, faulty_step.TRY_AGAIN, refused.stderr)
                self.assertIn("full", refused.stderr)
                self.assert_no_model()
                self.assert_recovers()


class StoreTest(faulty_step.FaultyStep):

    def test_the_store_is_locked_while_it_publishes(self):
        step = self.start_until("executed")
        lock = sqlite3.connect(self.db, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        step.send_signal(signal.SIGCONT)
        time.sleep(LOCKED_SECONDS)
        self.assertIsNone(step.poll(), "it gave up")
        lock.execute("ROLLBACK")
        lock.close()
        self.ok(self.answer(step))
        self.assert_recovers()

    def test_the_store_is_locked_while_it_trains(self):
        step = self.start(train_steps=4 * faulty_step.STEPS)
        self.trainer_of(step)
        lock = sqlite3.connect(self.db, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        time.sleep(5)
        lock.execute("ROLLBACK")
        lock.close()
        self.ok(self.answer(step))

    def test_the_server_is_killed_and_started_again_at_every_boundary(self):
        server = served.Server(self.db)
        self.addCleanup(server.close)
        self.store = {"metadata": server.url}
        for stage in ["claimed", "executed", "announced", "renamed"]:
            with self.subTest(stage=stage):
                step = self.start_until(stage, run_id=stage, node_id=stage)
                server.close()
                step.send_signal(signal.SIGCONT)
                time.sleep(1)
                server = served.Server(self.db, grpc_port=server.grpc.rsplit(":", 1)[1])
                self.addCleanup(server.close)
                self.ok(self.answer(step))
                self.assertEqual(len(self.published(stage, "model")), 1)


class ClockTest(faulty_step.FaultyStep):

    def test_the_clock_jumps_back_after_the_launcher_died(self):
        step = self.start_until("claimed", preload=True)
        kill(step.pid)
        step.communicate()
        # The lease was given an hour in the future, as the clock shows it now.
        self.set_clock(-ONE_HOUR)
        self.ok(self.answer(self.start(preload=True)))
        (self.faults / "clock-offset").unlink()
        self.assert_recovers()

    def test_the_clock_jumps_while_it_trains(self):
        for offset in (-ONE_HOUR, ONE_HOUR):
            with self.subTest(offset=offset):
                self.begin_anew()
                step = self.start(preload=True)
                wait_for(self.last_checkpoint, "a checkpoint")
                self.set_clock(offset)
                self.ok(self.answer(step))
                (self.faults / "clock-offset").unlink()
                self.assert_recovers()

    def set_clock(self, seconds):
        (self.faults / "clock-offset").write_text(str(seconds))


class TwoLaunchersTest(faulty_step.FaultyStep):

    def asleep_at(self, stage):
        """A step of a fresh store that has stopped at the stage, and not amid a renewal of its lease: nobody could write then."""
        while True:
            self.begin_anew()
            sleeper = self.start_until(stage)
            if self.can_write():
                return sleeper
            self.end(sleeper)

    def can_write(self):
        connection = sqlite3.connect(self.db, timeout=2, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
            return True
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()

    def test_one_sleeps_past_its_lease_at_any_boundary_and_one_publishes(self):
        for stage in ("claimed", "executed", "announced", "renamed"):
            with self.subTest(stage=stage):
                sleeper = self.asleep_at(stage)
                report, _ = self.retry()
                sleeper.send_signal(signal.SIGCONT)
                late = self.answer(sleeper)
                self.assertEqual(late.returncode, CONFLICT, late.stderr)
                self.assertEqual(report["attempt"], 2)
                self.assert_one_model(report["execution_id"])
                self.assert_nothing_left(report["execution_id"])

    def test_one_sleeps_while_its_trainer_works_and_one_publishes(self):
        sleeper = self.start()
        self.trainer_of(sleeper)
        sleeper.send_signal(signal.SIGSTOP)
        report, _ = self.retry()
        sleeper.send_signal(signal.SIGCONT)
        self.assertEqual(self.answer(sleeper).returncode, CONFLICT)
        self.assert_one_model(report["execution_id"])

    def test_of_two_at_once_one_works_and_both_answer(self):
        steps = [self.start(), self.start()]
        reports = [json.loads(self.ok(self.answer(step)).stdout) for step in steps]
        self.assertEqual(sorted(report["finished_before"] for report in reports), [False, True])
        self.assert_recovers()


if __name__ == "__main__":
    workspace.main()

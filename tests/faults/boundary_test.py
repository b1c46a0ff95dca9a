"""kill -9 at every boundary of a step's life: a retry completes it, and one model is published."""

import faulty_step
from faulty_step import kill, wait_for, state_of
import workspace


class BoundaryTest(faulty_step.FaultyStep):

    def test_the_launcher_dies_at_every_boundary(self):
        for stage in faulty_step.STAGES:
            with self.subTest(stage=stage):
                self.begin_anew()
                step = self.start_until(stage)
                kill(step.pid)
                step.communicate()
                report = self.assert_recovers()
                self.assertEqual(report["finished_before"], stage == "published")

    def test_the_launcher_dies_at_a_boundary_of_its_retry_too(self):
        for stage in faulty_step.STAGES:
            with self.subTest(stage=stage):
                self.begin_anew()
                for _ in range(2):
                    step = self.start(stop_at=stage)
                    wait_for(lambda: state_of(step.pid) in ("T", "Z"), "a stop or the end")
                    kill(step.pid)
                    step.communicate()
                self.assert_recovers()

    def test_the_trainer_dies_while_it_trains(self):
        step = self.start()
        trainer = self.trainer_of(step)
        wait_for(self.last_checkpoint, "a checkpoint")
        kill(trainer)
        refused = self.answer(step)
        self.assertEqual(refused.returncode, faulty_step.TRY_AGAIN, refused.stderr)
        self.assertIn("killed", refused.stderr)
        self.assert_recorded("CHILD_SIGNAL")
        self.assert_recovers()

    def test_the_launcher_dies_while_it_trains_and_takes_the_trainer_along(self):
        step = self.start()
        trainer = self.trainer_of(step)
        wait_for(self.last_checkpoint, "a checkpoint")
        kill(step.pid)
        step.communicate()
        wait_for(lambda: state_of(trainer) in ("", "Z"), "the trainer's end")
        self.assert_recovers()

    def test_both_die_while_it_trains(self):
        step = self.start()
        trainer = self.trainer_of(step)
        wait_for(self.last_checkpoint, "a checkpoint")
        kill(step.pid)
        kill(trainer)
        step.communicate()
        self.assert_recovers()


if __name__ == "__main__":
    workspace.main()

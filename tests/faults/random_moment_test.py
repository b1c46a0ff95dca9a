"""Signals at random moments of a step's life.

    random_moment_test.py BIN [--count N | --minutes M] [--seed S]
"""

import argparse
import random
import signal
import sys
import time

import faulty_step
from faulty_step import descendants_of, kill, state_of, wait_for
import workspace

# Who is hit, and by what.
HITS = ["kill launcher", "kill trainer", "kill guard", "kill all", "term launcher"]


class RandomMomentTest(faulty_step.FaultyStep):

    def hit(self, step, how):
        started = descendants_of(step.pid)
        if how in ("kill launcher", "kill all"):
            kill(step.pid)
        if how in ("kill trainer", "kill all"):
            for trainer in started[1:]:
                kill(trainer)
        if how in ("kill guard", "kill all"):
            for guard in started[:1]:
                kill(guard)
        if how == "term launcher" and step.poll() is None:
            step.send_signal(signal.SIGTERM)
        step.communicate(timeout=60)
        for pid in started:
            wait_for(lambda: state_of(pid) in ("", "Z"), "the end of everything it started")

    def length_of_a_step(self):
        start = time.monotonic()
        self.answer(self.start())
        return time.monotonic() - start

    def test_signals_at_random_moments(self):
        print("random moments: --seed %d" % OPTIONS.seed, flush=True)
        moments = random.Random(OPTIONS.seed)
        length = self.length_of_a_step()
        end = time.monotonic() + 60 * OPTIONS.minutes
        done = hits = 0
        while done < OPTIONS.count or time.monotonic() < end:
            self.begin_anew()
            plan = [(moments.uniform(0, length), moments.choice(HITS)) for _ in range(moments.choice([1, 1, 2]))]
            with self.subTest(number=done, plan=plan):
                for moment, how in plan:
                    step = self.start()
                    time.sleep(moment)
                    self.hit(step, how)
                self.assert_recovers()
            done += 1
            hits += len(plan)
            if done % 50 == 0:
                print("random moments: %d steps, %d hits" % (done, hits), flush=True)
        print("random moments: %d steps, %d hits, --seed %d" % (done, hits, OPTIONS.seed), flush=True)


def parse():
    """Takes our flags out of the command line."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options, sys.argv[1:] = parser.parse_known_args()
    if options.count is None:
        options.count = 0 if options.minutes else 20
    return options


if __name__ == "__main__":
    OPTIONS = parse()
    workspace.main()

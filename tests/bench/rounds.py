"""What the benchmarks share: rounds that say where they are, and how their figures spread."""

import statistics
import sys


def rounds(count, what):
    """Numbers from 1 to `count`; says on stderr which round begins."""
    for number in range(1, count + 1):
        print("%s: round %d of %d" % (what, number, count), file=sys.stderr, flush=True)
        yield number


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}

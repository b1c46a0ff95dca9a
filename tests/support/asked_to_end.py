"""Programs that are ended by SIGTERM, SIGHUP or Ctrl-C tidy up first."""

import contextlib
import signal
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class AskedToEnd(KeyboardInterrupt):
    """The one exception that unittest lets through a test that is running."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def _ask(number, frame):
    # Once: a terminal asks all of its processes, whose parents ask them again, and what tidies up is to go on.
    # Only who insists by Ctrl-C is obeyed. No SIG_IGN: programs that are started now would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for later in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(later, lambda *_: None)
    raise AskedToEnd(number)


@contextlib.contextmanager
def when_done():
    """Signals that come meanwhile are heard when this is left. For moments: nobody can end the program in one."""
    came = []
    handlers = {number: signal.signal(number, lambda now, frame: came.append(now)) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def run(main):
    """Ends the process with the code that main() returns, or, if it is asked to end, with the one for the signal."""
    for number in SIGNALS:
        signal.signal(number, _ask)
    try:
        code = main()
    except KeyboardInterrupt as asked:
        code = 128 + getattr(asked, "number", signal.SIGINT)
    sys.exit(code)

"""Programs that are ended by SIGTERM or SIGHUP tidy up first, as by Ctrl-C."""

import signal
import sys


class AskedToEnd(KeyboardInterrupt):
    """The one exception that unittest lets through a test that is running."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def _ask(number, frame):
    raise AskedToEnd(number)


def run(main):
    """Ends the process with the code that main() returns, or, if it is asked to end, with the one for the signal."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _ask)
    try:
        code = main()
    except KeyboardInterrupt as asked:
        code = 128 + getattr(asked, "number", signal.SIGINT)
    sys.exit(code)

"""Runs a user's TFX module file as the child of `rekindle train`.

    python run_module.py --executor_input=FILE --module_file=FILE [--executor=auto|generic|estimator] [--skip_validation]
                         [--require_gpu]
    python run_module.py --describe

keeps docs/executor-contract.md: it reads FILE, calls the module's run_fn (or trainer_fn), and writes the answer. The
second form prints, as JSON, what the interpreter is: part of the cache's key.
"""

import os
import sys

# Python does so itself, unless PYTHONSAFEPATH is set.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from rekindle_module import command  # pylint: disable=wrong-import-position

if __name__ == "__main__":
    sys.exit(command.main(sys.argv[1:]))

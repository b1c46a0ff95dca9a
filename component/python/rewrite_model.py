"""Rewrites a trained model for other runtimes, as a child of `rekindle train --rewrite`.

    python rewrite_model.py --model=DIR --answer=FILE --rewrite=KIND[:SIGNATURE,...] ... [--examples=PATTERN ...]

DIR holds Format-Serving, a SavedModel; each rewritten model goes beside it. With examples, TFRecord files, both are
asked the first of them, and must answer alike. FILE gets the answer, docs/executor-contract.md.
"""

import os
import sys

# Python does so itself, unless PYTHONSAFEPATH is set.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from rekindle_rewrite import command  # pylint: disable=wrong-import-position

if __name__ == "__main__":
    sys.exit(command.main(sys.argv[1:]))

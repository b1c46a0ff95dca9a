"""The program: flags, and the answer."""

import argparse
import importlib
import os
import traceback

from rekindle_module import contract
from rekindle_module import failure
from rekindle_module import user_module

_FAILED = 1
# Begins the lines that `rekindle train` shows; the others are for the log.
_FOR_PEOPLE = "rewrite: "


def main(arguments):
    """The exit code; what was rewritten, or why not, is in the file that --answer names."""
    flags = _parse(arguments)
    try:
        answer = {"error": None, "rewritten": _rewrite_all(flags)}
    except failure.Failure as error:
        answer = {"error": error.to_json(), "rewritten": []}
    except Exception as error:  # a model can make TensorFlow raise anything
        traceback.print_exc()
        answer = {"error": _unforeseen(error).to_json(), "rewritten": []}
    contract.write_output(flags.answer, answer)
    return 0 if answer["error"] is None else _FAILED


def _parse(arguments):
    parser = argparse.ArgumentParser(prog="rewrite_model.py", description="Rewrites a model for other runtimes.")
    parser.add_argument("--model", required=True, help="the folder that holds Format-Serving")
    parser.add_argument("--answer", required=True, help="the file to write the answer into")
    parser.add_argument("--rewrite", action="append", required=True, help="KIND[:SIGNATURE,...]; may be repeated")
    parser.add_argument("--examples", action="append", default=[],
                        help="a pattern of TFRecord files to try the models with, may be repeated; none: untried")
    return parser.parse_args(arguments)


def _rewrite_all(flags):
    try:
        from rekindle_rewrite import original  # pylint: disable=import-outside-toplevel
    except ModuleNotFoundError as error:
        raise user_module.missing_package(error, {}) from error
    model = original.Original(os.path.join(flags.model, "Format-Serving"), flags.examples)
    return [_rewrite(rewrite, model, flags.model) for rewrite in flags.rewrite]


def _rewrite(rewrite, model, folder):
    """Writes the one rewritten model; what is to be recorded of it."""
    kind, _, names = rewrite.partition(":")
    rewriter = importlib.import_module("rekindle_rewrite." + kind)  # a kind is a module
    print("%s%s ..." % (_FOR_PEOPLE, rewrite), flush=True)
    try:
        facts = rewriter.rewrite(model, names.split(",") if names else [], os.path.join(folder, rewriter.FOLDER))
    except failure.Failure as error:
        raise failure.Failure(error.reason, "--rewrite %s: %s" % (rewrite, error), error.code) from error
    print("%s%s: %s" % (_FOR_PEOPLE, rewrite, _sentence(facts)), flush=True)
    return {"kind": kind, "folder": rewriter.FOLDER, "tensorflow_version": model.tensorflow_version, **facts}


def _sentence(facts):
    difference = facts["largest_difference"]
    compared = "untried" if difference is None else "answers within %.2g of the original's" % difference
    return "%s, %d bytes, %s" % (", ".join(facts["signatures"]), facts["bytes"], compared)


def _unforeseen(error):
    reason, code = failure.of_resources(error) or (failure.REWRITE_FAILED, failure.UNKNOWN)
    return failure.Failure(reason, "--rewrite: %s: %s" % (type(error).__name__, failure.one_line(error)), code)

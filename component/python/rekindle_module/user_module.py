"""Loads a user's module file."""

import importlib.util
import os
import sys

from rekindle_module import failure

# What a package is called where one installs it, if not as it is imported.
_PIP_NAMES = {
    "PIL": "Pillow",
    "cv2": "opencv-python",
    "keras_tuner": "keras-tuner",
    "kerastuner": "keras-tuner",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}


def load(path):
    """The module in the file at `path`, whose folder must be in sys.path already."""
    name = _free_name(os.path.splitext(os.path.basename(path))[0])
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    # Under its own name: siblings may import it, and so does a process that unpickles a function of it.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def missing_package(error, shimmed):
    """What to tell of an ImportError. `shimmed`: the packages with stand-ins, and what to install for the real ones."""
    package = (error.name or "").split(".")[0]
    install = "%s -m pip install %s" % (sys.executable, shimmed.get(package) or _pip_name(package))
    if package in shimmed:
        return failure.Failure(
            failure.PACKAGE_MISSING,
            "%s: Rekindle stands in for %s only in part; install the real one: %s" % (error.msg, package, install))
    return failure.Failure(
        failure.PACKAGE_MISSING,
        "package '%s' is missing in %s; install it: %s" % (package, sys.executable, install))


def _pip_name(package):
    return _PIP_NAMES.get(package, package.replace("_", "-"))


def _free_name(stem):
    """`stem`, unless a module of that name is loaded already: json.py must not take the place of json."""
    return "rekindle_user_" + stem if stem in sys.modules else stem

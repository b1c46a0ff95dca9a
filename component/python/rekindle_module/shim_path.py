"""Stand-ins for packages that module files import: tfx, tfx_bsl, tensorflow_metadata, tensorflow_transform, ...

The folder `shims` beside this package holds one package for each of them, laid out as the real one, with the names that
module files use and no other. It is the last entry of sys.path, so a real package that the interpreter has is found
first, whole: real and stand-in are never mixed below one top-level name. Being an entry of sys.path it also reaches the
processes that `multiprocessing` starts.

To add a stand-in: make shims/PACKAGE/.../MODULE.py with an __init__.py in every folder; a docstring that says what of
the real module is there; the code itself in a module of rekindle_module, if more than one name leads to it. Import
TensorFlow inside functions, unless the real one's import of it is what users rely on. List the package in PIP_NAMES.
"""

import os
import sys

LIBRARY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(LIBRARY, "shims")

# Stand-ins, and what to install for the real ones.
PIP_NAMES = {
    "tensorflow_metadata": "tensorflow-metadata",
    "tensorflow_model_analysis": "tensorflow-model-analysis",
    "tensorflow_transform": "tensorflow-transform",
    "tfx": "tfx",
    "tfx_bsl": "tfx-bsl",
}


def install(module_folder):
    """Orders sys.path: the module's siblings, what the interpreter has, this library, the stand-ins."""
    rest = [entry for entry in sys.path if os.path.abspath(entry or ".") not in (LIBRARY, FOLDER)]
    sys.path[:] = [module_folder] + rest + [LIBRARY, FOLDER]

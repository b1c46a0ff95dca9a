"""What the interpreter is, for the records and for the cache's key."""

import hashlib
import importlib.util
import os
import platform
import sys

_TENSORFLOW = ("tensorflow", "tensorflow_cpu", "tf_nightly", "tf_nightly_cpu", "tensorflow_gpu", "tensorflow_macos",
               "tensorflow_intel")
_UNKNOWN = "unknown"  # the version of one that pip did not install


def describe():
    """Versions of Python and TensorFlow ("" without one), and a digest over all packages; imports nothing for it."""
    packages = _installed()
    listing = "\n".join("%s %s" % package for package in packages)
    return {
        "python": platform.python_version(),
        "tensorflow": _tensorflow_version(packages),
        "packages": "sha256:" + hashlib.sha256(listing.encode()).hexdigest(),
    }


def environment():
    """Of a run that ended: properties of its execution."""
    found = {"python_version": platform.python_version()}
    tf = sys.modules.get("tensorflow")
    if tf is not None:
        found["tensorflow_version"] = tf.__version__
        found["devices"] = ",".join(device.name for device in tf.config.list_logical_devices())
    return found


def _tensorflow_version(packages):
    versions = [version for name, version in packages if name in _TENSORFLOW]
    if versions:
        return versions[0]
    return _UNKNOWN if importlib.util.find_spec("tensorflow") else ""


def _installed():
    """Sorted pairs of name and version, by the names of the .dist-info folders."""
    found = set()
    for folder in filter(os.path.isdir, sys.path):
        for entry in os.listdir(folder):
            if entry.endswith(".dist-info"):
                name, _, version = entry[:-len(".dist-info")].partition("-")
                found.add((name.lower(), version))
    return sorted(found)

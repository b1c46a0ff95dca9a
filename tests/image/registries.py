"""The package registries that builds are told of, none of which an image may know."""

import pathlib
import re
import subprocess

# In apt's and pip's settings of every build, and never called: where settings stay in an image, it is found, also on a
# machine whose registries are the usual ones.
MARK = "registry.rekindle.test"
# Everybody's: Debian's and Python's own files name them.
PUBLIC = {"deb.debian.org", "security.debian.org", "pypi.org", "files.pythonhosted.org"}


def mark(environment, folder):
    """These variables, and such as put MARK into what `tools/image/build --registries host` hands on."""
    settings = folder / "apt.conf"
    settings.write_text('Acquire::https::%s::Verify-Peer "true";\n' % MARK, encoding="utf-8")
    trusted = re.findall(r"trusted-host='(.*)'", _pip_settings())
    return {**environment, "APT_CONFIG": str(settings), "PIP_TRUSTED_HOST": " ".join([*trusted, MARK])}


def hosts():
    """Those of this machine's apt and pip, but for PUBLIC, and MARK."""
    settings = "\n".join([*_apt_sources(), _said("apt-config", "dump", "Acquire::http", "Acquire::https"), _pip_settings()])
    in_use = re.sub(r"^#.*", "", settings, flags=re.MULTILINE)
    return {MARK, *re.findall(r"https?://(?:[^/\s@]*@)?([^/\s:'\"]+)", in_use)} - PUBLIC


def _apt_sources():
    return [path.read_text(encoding="utf-8") for path in pathlib.Path("/etc/apt").rglob("*")
            if path.suffix in (".list", ".sources")]


def _pip_settings():
    return _said("python3", "-m", "pip", "config", "list")


def _said(*words):
    # A machine without pip has no settings of it.
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout

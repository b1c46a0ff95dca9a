"""Rekindle's images for the cluster, from a build folder: the same names and users as the Dockerfile's."""

import pathlib
import subprocess

from images import Image, Layer

NAMES = ("metadata", "trainer", "trainer-python", "trainer-gpu")
USER = "65532:0"


def images(bin):
    """One image under all names: programs and libraries of the build in `bin`, and TensorFlow's in a layer of its own."""
    tensorflow = tensorflow_folder(bin)
    base = Layer().folder("/tmp", 0o1777).folder("/data", 0o1777).program("/bin/busybox").link("/bin/sh", "busybox")
    base.text("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nrekindle:x:65532:0::/data:/bin/sh\n")
    base.text("/etc/nsswitch.conf", "hosts: files dns\n").file("/lib/x86_64-linux-gnu/libnss_dns.so.2").file(
        "/lib/x86_64-linux-gnu/libnss_files.so.2")
    own = Layer().program(bin / "rekindle", "/usr/local/bin/rekindle")
    own.program(bin / "rekindle-trainer", "/usr/local/bin/rekindle-trainer", besides=[tensorflow])
    large = Layer()
    for library in sorted(tensorflow.glob("libtensorflow_*.so.2")):
        large.file(library, library).libraries_of(library, besides=[tensorflow])
    names = ["docker.io/library/rekindle:" + name for name in NAMES]
    yield Image(names, [base, large, own], entrypoint=["rekindle"], environment=["HOME=/tmp"], user=USER, working_dir="/data")


def tensorflow_folder(bin):
    """Where the trainer finds TensorFlow's libraries."""
    listed = subprocess.run(["ldd", str(bin / "rekindle-trainer")], capture_output=True, text=True, check=True).stdout
    (found,) = (line.split()[2] for line in listed.splitlines() if "libtensorflow_cc.so" in line)
    return pathlib.Path(found).parent

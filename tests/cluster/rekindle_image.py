"""Rekindle's images for the cluster: those of the Dockerfile, or, made in a moment, programs of a build folder.

The latter have the names and the user of the former.
"""

import pathlib
import subprocess
import tempfile

from images import Image, Layer
from node import Problem

REPO = pathlib.Path(__file__).resolve().parents[2]
REPOSITORY = "docker.io/library/rekindle:"
NAMES = ("metadata", "trainer", "trainer-python", "trainer-gpu")
USER = "65532:0"
TOOLS = ("awk", "dd", "kill", "sleep", "touch")  # what steps of the tests and examples call


def load_dockerfiles(cluster):
    """Has the Dockerfile's images built, by the engine of tests/image. That for GPUs is not: there are none here."""
    with tempfile.NamedTemporaryFile(suffix=".tar") as archive:
        _save(archive.name, *NAMES[:3])
        cluster.load_archive(archive.name)
    cluster.tag_image(REPOSITORY + "trainer-python", REPOSITORY + "trainer-gpu")


def _save(archive, *targets):
    with subprocess.Popen([str(REPO / "tests" / "image" / "save"), archive, *targets]) as saving:
        try:
            code = saving.wait()
        except BaseException:
            saving.terminate()  # it stops its engine
            raise
    if code != 0:
        raise Problem("the images could not be built.")


def load_built(cluster, bin):
    cluster.load_image(_image_of(bin))


def _image_of(bin):
    """One image under all names: programs and libraries of the build in `bin`, and TensorFlow's in a layer of its own."""
    tensorflow = tensorflow_folder(bin)
    base = Layer().folder("/tmp", 0o1777).folder("/data", 0o1777).program("/bin/busybox")
    for tool in ("sh", *TOOLS):
        base.link("/bin/" + tool, "busybox")
    base.text("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nrekindle:x:65532:0::/data:/bin/sh\n")
    base.text("/etc/nsswitch.conf", "hosts: files dns\n").file("/lib/x86_64-linux-gnu/libnss_dns.so.2").file(
        "/lib/x86_64-linux-gnu/libnss_files.so.2")
    own = Layer().program(bin / "rekindle", "/usr/local/bin/rekindle")
    own.program(bin / "rekindle-trainer", "/usr/local/bin/rekindle-trainer", besides=[tensorflow])
    large = Layer()
    for library in sorted(tensorflow.glob("libtensorflow_*.so.2")):
        large.file(library, library).libraries_of(library, besides=[tensorflow])
    names = [REPOSITORY + name for name in NAMES]
    return Image(names, [base, large, own], entrypoint=["rekindle"], environment=["HOME=/tmp"], user=USER, working_dir="/data")


def tensorflow_folder(bin):
    """Where the trainer finds TensorFlow's libraries."""
    listed = subprocess.run(["ldd", str(bin / "rekindle-trainer")], capture_output=True, text=True, check=True).stdout
    (found,) = (line.split()[2] for line in listed.splitlines() if "libtensorflow_cc.so" in line)
    return pathlib.Path(found).parent

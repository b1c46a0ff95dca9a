"""One image with all that Argo's examples and the tests call: a shell, the usual tools, Python."""

import pathlib
import sys

from images import Image, Layer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import argo_examples

TOOLS = ("awk basename cat chmod cp cut date dirname echo env expr false find grep head hostname id ls mkdir mktemp mv nslookup printf "
         "rm rmdir sed seq sh sleep sort stat tail tar tee test touch tr true uname uniq wc wget which xargs")
NAME = "local.test/tools:1"


def tools_image():
    """The image, by its own name and by those of the examples' images."""
    layer = Layer().folder("/tmp", 0o1777).program("/bin/busybox").text("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
    for tool in TOOLS.split():
        layer.link("/bin/" + tool, "busybox")
    layer.program("/bin/bash").program("/usr/bin/python3").tree(
        "/usr/lib/python3.11", "/usr/lib/python3.11", skip=lambda name: name in ("__pycache__", "test", "config-3.11-x86_64-linux-gnu"))
    for folder in argo_examples.path_folders():
        for tool in sorted(folder.iterdir()):
            if tool.name != "Dockerfile":
                layer.file(tool, "/usr/local/bin/" + tool.name)
    layer.link("/argosay", "/usr/local/bin/argosay")
    names = ["docker.io/" + (name if "/" in name else "library/" + name) for name in argo_examples.IMAGES]
    return Image([NAME, *names], [layer])

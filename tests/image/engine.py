"""A Docker engine of our own: Debian's dockerd with a private socket and folders, ended with us.

Nothing can be taken for granted about the machine's network, so the engine makes none: builds use the host's, and
containers get none. What it keeps between runs, layers and compiled objects, is in ${REKINDLE_CACHE:-~/.cache/rekindle}/docker.
"""

import atexit
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import time

BASE = "rekindle-test-base:bookworm"
# docker.io's own client: it speaks BuildKit without plugins.
CLIENT = "/usr/bin/docker"
CACHE = pathlib.Path(os.environ.get("REKINDLE_CACHE") or pathlib.Path.home() / ".cache" / "rekindle") / "docker"
_START_SECONDS = 60
_BLOCK = 1 << 20


class Engine:
    """A running dockerd, and its client."""

    def __init__(self):
        # A socket's path is short. Those of its group may get there.
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="rekindle-docker-"))
        self.dir.chmod(0o711)
        self.socket = self.dir / "docker.sock"
        self.environment = {**os.environ, "DOCKER": CLIENT, "DOCKER_HOST": "unix://%s" % self.socket,
                            "DOCKER_BUILDKIT": "1", "BUILDKIT_PROGRESS": "plain", "DOCKER_CONFIG": str(self.dir)}
        CACHE.mkdir(parents=True, exist_ok=True)
        self._log = open(self.dir / "dockerd.log", "w", encoding="utf-8")
        self._daemon = subprocess.Popen(
            ["dockerd", "--data-root", CACHE / "data", "--exec-root", self.dir / "exec", "--pidfile", self.dir / "pid",
             "--host", "unix://%s" % self.socket, "--bridge=none", "--iptables=false", "--ip6tables=false"],
            stdout=self._log, stderr=self._log, start_new_session=True)  # Ctrl-C is for us, who stop it then
        atexit.register(self.stop)
        self._wait_until_it_answers()

    def _wait_until_it_answers(self):
        deadline = time.monotonic() + _START_SECONDS
        while self.run("version", check=False).returncode != 0:
            if self._daemon.poll() is not None or time.monotonic() > deadline:
                log = (self.dir / "dockerd.log").read_text(encoding="utf-8")
                raise SystemExit("dockerd did not start; it needs root, and says:\n" + log[-2000:])
            time.sleep(0.2)

    def run(self, *arguments, check=True, timeout=600, **options):
        """Runs the client with these arguments; its CompletedProcess."""
        words = [CLIENT, *map(str, arguments)]
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=timeout, **options)
        if check and done.returncode != 0:
            raise AssertionError("%s: exit code %d\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
        return done

    def make_base(self):
        """The image that others start from, by debootstrap: none can be pulled everywhere."""
        if self.run("image", "inspect", BASE, check=False).returncode == 0:
            return
        root = pathlib.Path(tempfile.mkdtemp(prefix="rekindle-base-"))
        try:
            subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root, *_mirror()], check=True,
                           stdout=subprocess.DEVNULL)
            shutil.rmtree(root / "var/cache/apt/archives", ignore_errors=True)
            with subprocess.Popen(["tar", "-C", root, "-c", "."], stdout=subprocess.PIPE) as tar:
                self.run("import", "-", BASE, stdin=tar.stdout)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def size(self, image):
        return int(self.run("image", "inspect", "--format", "{{.Size}}", image).stdout)

    def search(self, image, words):
        """Which of these words are anywhere in an image, also in a file that a later layer hides: the name of a layer by word."""
        with subprocess.Popen([CLIENT, "save", image], env=self.environment, stdout=subprocess.PIPE) as saved:
            with tarfile.open(fileobj=saved.stdout, mode="r|", bufsize=_BLOCK) as layers:
                return _search(layers, words)

    def stop(self):
        """Ends the containers and the daemon; removes all but the cache."""
        if self._daemon.poll() is None:
            left = self.run("ps", "--all", "--quiet", check=False).stdout.split()
            if left:
                self.run("rm", "--force", *left, check=False)
            self._daemon.terminate()
            self._daemon.wait()
        self._log.close()
        shutil.rmtree(self.dir, ignore_errors=True)


def _search(files, words):
    sought = {word: word.encode() for word in words}
    found = {}
    for member in files:
        if not member.isfile():
            continue
        for block in _blocks(files.extractfile(member), overlap=max(map(len, sought.values()))):
            found.update({word: member.name for word, letters in sought.items() if letters in block})
    return found


def _blocks(file, overlap):
    """What a file holds; each block begins with the end of the one before."""
    end = b""
    while block := file.read(_BLOCK):
        yield end + block
        end = block[-overlap:]


def _mirror():
    """Where this machine's packages come from, for debootstrap; nothing: where it looks by itself."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages",
                             "Codename: bookworm"], capture_output=True, text=True, check=False).stdout.split()
    return [uri for uri in listed if uri.rstrip("/").endswith("/debian")][:1]

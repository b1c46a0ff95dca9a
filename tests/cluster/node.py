"""A machine within this machine: namespaces of its own for processes, mounts and network.

Whatever a Kubernetes node starts, mounts or configures there ends when the node's first process ends, so that stopping it leaves
nothing behind, however it is stopped. Needs root.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import asked_to_end

# Where kubelet, CNI, containerd's shims and the provisioner of volumes write, whatever they are told.
FOLDERS_OF_OTHERS = ("/run/containerd", "/tmp/hostpath_pv", "/usr/libexec/kubernetes", "/var/lib/cni", "/var/lib/kubelet",
                     "/var/log/containers", "/var/log/pods")
# With those above them, which may be missing, too: what is within another comes behind it.
PLACES = sorted({place for path in FOLDERS_OF_OTHERS for place in [pathlib.Path(path), *pathlib.Path(path).parents]},
                key=lambda place: len(place.parts))
CLAIM = ".%s.claim"
# Settings of the whole machine that kubelet changes unless it finds them so: it finds these.
KERNEL_SETTINGS = {
    "kernel/keys/root_maxbytes": 25000000,
    "kernel/keys/root_maxkeys": 1000000,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
}
CGROUPS = pathlib.Path("/sys/fs/cgroup")


class Problem(Exception):
    """What keeps the cluster from working, in one sentence."""


class Node:
    """The namespaces, with their state below `folder`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.cgroup = "rekindle-" + hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]
        self._first = None  # the first process, if it is this program that has started it
        self._started = {}

    def pid(self):
        """The node's first process, or None when it is down."""
        try:
            pid = int((self.folder / "pid").read_text())
            first = os.path.samefile("/proc/%d/exe" % pid, self.folder / "init")
        except (FileNotFoundError, ValueError):
            return None
        return pid if first else None

    def is_ours(self):
        """Whether this program has started it, and nobody another one since."""
        return self._first is not None and self.pid() in (None, self._first)

    @contextlib.contextmanager
    def _alone(self):
        """Nobody else starts or stops a node in the folder meanwhile. The lock is on the folder above, which stays."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        above = os.open(self.folder.parent, os.O_RDONLY)
        try:
            fcntl.flock(above, fcntl.LOCK_EX)
            yield
        finally:
            os.close(above)

    def start(self, init):
        """Makes the namespaces, in which the program `init` is the first process. When it fails, they are gone again."""
        if os.geteuid() != 0:
            raise Problem("a cluster needs root: namespaces, control groups and mounts.")
        with self._alone():
            if self.pid():
                raise Problem("there is a cluster in %s already; stop it first with: tests/cluster/cluster down" % self.folder)
            self._end()
            try:
                self._unshare(init)
                self._shield()
                self._make_cgroups()
            except BaseException:
                self._end()
                raise

    def _unshare(self, init):
        (self.folder / "log").mkdir(parents=True)
        os.link(init, self.folder / "init")
        with asked_to_end.when_done():  # until there is a file that says what to end
            unshare = self._launch("unshare", ["unshare", "--mount", "--net", "--pid", "--fork", "--mount-proc", "--kill-child",
                                               str(self.folder / "init")])
            children = pathlib.Path("/proc/%d/task/%d/children" % (unshare.pid, unshare.pid))
            try:
                self.wait("the node's first process", 10, lambda: self._adopt(children))
            except BaseException:
                unshare.kill()
                raise
            self._first = self.pid()

    def _adopt(self, children):
        found = children.read_text().split()
        if found:
            (self.folder / "pid").write_text(found[0])
        return self.pid() is not None

    def _shield(self):
        """Puts folders and settings of the machine out of the node's reach."""
        with asked_to_end.when_done():
            for place in PLACES:
                self._claim(place)
        for path in FOLDERS_OF_OTHERS:
            own = self.folder_of(path)
            own.mkdir(parents=True)
            self.run("mount", "--bind", own, path)
        for name, value in KERNEL_SETTINGS.items():
            own = self.folder_of(name)
            own.write_text("%d\n" % value)
            self.run("mount", "--bind", own, "/proc/sys/" + name)

    def _claim(self, place):
        """Makes a folder of the machine, if it is missing. In what nodes have made is a file for each that needs it: to remove
        it would take away what another node has mounted there."""
        missing = not place.exists()
        if missing:
            place.mkdir()
        if missing or any(place.glob(CLAIM % "*")):
            (place / (CLAIM % self.cgroup)).touch()

    def _disclaim(self, place):
        claim = place / (CLAIM % self.cgroup)
        if claim.exists():
            claim.unlink()
            with contextlib.suppress(OSError):  # another needs it
                place.rmdir()

    def folder_of(self, path):
        """Where this machine has what the node finds at one of those paths."""
        return self.folder / "outside" / path.strip("/").replace("/", "-")

    def _cgroups(self):
        version_1 = not (CGROUPS / "cgroup.controllers").exists()
        parents = [p for p in CGROUPS.iterdir() if p.is_dir() and not p.is_symlink()] if version_1 else [CGROUPS]
        return [p / self.cgroup for p in parents if (p / "cgroup.procs").exists()]

    def _make_cgroups(self):
        for group in self._cgroups():
            group.mkdir(exist_ok=True)

    def _inside(self, command):
        return ["nsenter", "--target", str(self.pid()), "--mount", "--net", "--pid", "--", *map(str, command)]

    def run(self, *command, **options):
        """Runs a command that must succeed on the node; its output."""
        result = subprocess.run(self._inside(command), capture_output=True, text=True, **options)
        if result.returncode != 0:
            raise Problem("'%s' failed on the node: %s" % (" ".join(map(str, command)), result.stderr.strip()))
        return result.stdout

    def start_service(self, name, *command, **environment):
        """Starts a process that stays, logging to log/NAME.log."""
        self._launch(name, self._inside(command), **environment)

    def _launch(self, name, command, **environment):
        with open(self.folder / "log" / (name + ".log"), "w") as log:
            self._started[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, **environment})
        return self._started[name]

    def wait(self, what, seconds, condition):
        """Waits until condition() is true and does not fail."""
        deadline = time.monotonic() + seconds
        reason = ""
        while time.monotonic() < deadline:
            try:
                if condition():
                    return
            except (OSError, Problem, subprocess.SubprocessError) as problem:
                reason = ": %s" % problem
            for name, process in self._started.items():
                if process.poll() is not None:
                    raise Problem("%s ended with %d while waiting for %s; its log:\n%s" % (
                        name, process.returncode, what, self.log_of(name)))
            time.sleep(0.1)
        raise Problem("waited %d seconds in vain for %s%s" % (seconds, what, reason))

    def log_of(self, name, lines=15):
        return "\n".join((self.folder / "log" / (name + ".log")).read_text(errors="replace").splitlines()[-lines:])

    def stop(self):
        """Ends the node with all that runs on it; nothing when it is down."""
        with self._alone():
            self._end()

    def _end(self):
        pid = self.pid()
        if pid:
            os.kill(pid, signal.SIGKILL)
            while self.pid():
                time.sleep(0.05)
        for process in self._started.values():
            process.wait()
        self._started.clear()
        self._first = None
        for group in self._cgroups():
            _remove_cgroup(group)
        for place in reversed(PLACES):
            self._disclaim(place)
        subprocess.run(["rm", "-rf", str(self.folder)], check=True)


def _remove_cgroup(group):
    for folder, _, _ in os.walk(group, topdown=False):
        for _ in range(100):  # the kernel takes a moment to let go of killed processes
            try:
                os.rmdir(folder)
                break
            except OSError:
                time.sleep(0.05)

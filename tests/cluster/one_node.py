"""A one-node Kubernetes with Argo Workflows, from programs that tests/cluster/stack builds."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import argo_examples
import configuration
import pki
from images import Image, Layer
from node import Node, Problem

HERE = pathlib.Path(__file__).resolve().parent
NAMESPACE = "argo"
EXECUTOR_IMAGE = "local.test/argoexec:1"
PROGRAMS = ("argo", "argoexec", "workflow-controller", "hyperkube", "coredns")


def say(text):
    print("cluster: " + text, file=sys.stderr, flush=True)


class _ProxyConnection(http.client.HTTPConnection):
    """To the apiserver, by the socket of a kubectl proxy."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self._path)


class Cluster:
    """Up between up() and down(). One at a time per folder of programs."""

    def __init__(self, report=lambda text: None):
        build = str(HERE / "stack" / "build")
        self.cache = pathlib.Path(subprocess.run([build, "--where"], capture_output=True, text=True, check=True).stdout.strip())
        self.bin = self.cache / "bin"
        self.run = self.cache / "run"
        self._stamps = self.cache / "containerd" / "imported"  # which image has which name
        self.argo_source = self.cache / "src" / "argo-workflows"
        self.node = Node(self.run)
        self.report = report

    # What the cluster is made from.

    def prepare(self):
        """Builds what is missing of the programs."""
        if subprocess.run([str(HERE / "stack" / "build"), *PROGRAMS]).returncode != 0:
            raise Problem("the cluster's programs could not be built.")
        pause = self.bin / "pause"
        if not pause.exists() or pause.stat().st_mtime < (HERE / "pause.c").stat().st_mtime:
            subprocess.run(["gcc", "-O2", "-static", "-s", "-o", str(pause), str(HERE / "pause.c")], check=True)

    def _own_images(self):
        yield Image([configuration.PAUSE_IMAGE], [Layer().file(self.bin / "pause", "/pause")], entrypoint=["/pause"])
        yield Image([EXECUTOR_IMAGE], [Layer().file(self.bin / "argoexec", "/bin/argoexec").folder("/tmp", 0o1777)],
                    entrypoint=["argoexec"])

    def load_image(self, image):
        """Makes an image known to the node, unless it is already."""
        stamp = self._stamps / image.names[0].replace("/", "_")
        if stamp.exists() and stamp.read_text() == image.identity():
            return
        self.report("importing the image %s" % image.names[0])
        with tempfile.NamedTemporaryFile(dir=self.cache, suffix=".tar") as archive:
            image.write(archive.name, self.cache / "layers" / stamp.name)
            self.ctr("images", "import", archive.name)
        self._stamps.mkdir(exist_ok=True)
        stamp.write_text(image.identity())

    def load_archive(self, archive):
        """Makes the images of a Docker archive known to the node."""
        self.report("importing %d MB of images" % (os.path.getsize(archive) / 1e6))
        self.ctr("images", "import", archive)
        shutil.rmtree(self._stamps, ignore_errors=True)  # it may have given their names away

    def tag_image(self, name, alias):
        self.ctr("images", "tag", "--force", name, alias)

    # Commands for it.

    def kubectl(self, *arguments, **options):
        return self.inside(self.bin / "hyperkube", "kubectl", *arguments, **options)

    def argo(self, *arguments, **options):
        return self.inside(self.bin / "argo", *arguments, **options)

    def inside(self, *command, check=True, **options):
        """Runs a command in the cluster's network, with its kubeconfig; the completed process, with its output as text."""
        options = {"capture_output": True, "text": True, **options}
        result = subprocess.run(self.inside_command(*command), env=self.environment(), **options)
        if check and result.returncode != 0:
            raise Problem("'%s' ended with %d: %s" % (
                " ".join(map(str, command[1:])), result.returncode, ((result.stderr or "") + (result.stdout or "")).strip()))
        return result

    def inside_command(self, *command):
        pid = self.node.pid()
        if not pid:
            raise Problem("the cluster is down; start it with: tests/cluster/cluster up")
        return ["nsenter", "--target", str(pid), "--net", "--", *map(str, command)]

    def environment(self):
        """Keeps what kubectl and argo remember within the cluster's folder."""
        return {**os.environ, "KUBECONFIG": str(self.run / "admin.kubeconfig"), "KUBECACHEDIR": str(self.run / "kube-cache"),
                "ARGO_NAMESPACE": NAMESPACE}

    def get(self, *arguments):
        """An object, or a list of them, as kubectl get finds it."""
        return json.loads(self.kubectl("get", *arguments, "-o", "json").stdout)

    def request(self, method, path, body=None):
        """A call of the apiserver, which costs less than a kubectl; its answer, or None for what is not there."""
        with contextlib.closing(_ProxyConnection(self.run / "api.sock")) as connection:
            connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
        if answer.status == 404:
            return None
        if answer.status >= 300:
            raise Problem("%s %s: %s" % (method, path, json.loads(text).get("message", text)))
        return json.loads(text)

    def apply(self, *objects, namespace=NAMESPACE):
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        self.kubectl("apply", "-n", namespace, "-f", "-", input=text)

    def ctr(self, *arguments):
        command = ["ctr", "--address", str(self.run / "containerd.sock"), "--namespace", "k8s.io", *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise Problem("'%s' failed: %s" % (" ".join(command), result.stderr.strip()))
        return result.stdout

    # Up and down.

    def up(self):
        """Starts the cluster; when it fails, what was started is gone again."""
        begin = time.monotonic()
        self.prepare()
        try:
            self.node.start(self.bin / "pause")
            self._start()
        except BaseException:
            if self.node.is_ours():
                self.down(keep_logs=True)
            raise
        self.report("the cluster is up, after %.1f seconds" % (time.monotonic() - begin))

    def down(self, keep_logs=False):
        """Ends the cluster, if there is one. Its logs stay in last-logs when they are to be kept."""
        if keep_logs and (self.run / "log").exists():
            subprocess.run(["rm", "-rf", str(self.cache / "last-logs")], check=True)
            subprocess.run(["cp", "-r", str(self.run / "log"), str(self.cache / "last-logs")], check=True)
        self.node.stop()

    def _start(self):
        self._network()
        configuration.write_files(self.run, self.cache, self.node.cgroup)
        token = pki.make(self.run / "pki", [configuration.API, configuration.NODE, "127.0.0.1"],
                         ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"])
        (self.run / "admin.kubeconfig").write_text(json.dumps(configuration.kubeconfig(self.run, token)))
        (self.run / "etcd").mkdir(mode=0o700)
        self._service("etcd", *configuration.etcd(self.run))
        self._service("kube-apiserver", *configuration.apiserver(self.run))
        self._start_containerd()
        self.node.wait("the apiserver", 120, lambda: self.kubectl("get", "--raw", "/readyz"))
        self._service("kubectl", "proxy", "--unix-socket=%s/api.sock" % self.run, "--kubeconfig=%s/admin.kubeconfig" % self.run)
        self._start_kubernetes()
        self._start_argo()
        self.node.wait("the node to be ready", 120, lambda: self.kubectl(
            "wait", "--for=condition=Ready", "node/" + configuration.NAME, "--timeout=5s"))
        self.node.wait("names", 60, lambda: self._answers("http://%s:8181/ready" % configuration.DNS))
        self.node.wait("the workflow controller", 60, lambda: self._answers("http://127.0.0.1:6060/healthz"))

    def _network(self):
        """The services' addresses on a bridge without ports: not every kernel has dummy devices."""
        for command in (
                "ip link set lo up", "ip link add services type bridge",
                "ip address add %s/32 dev services" % configuration.API,
                "ip address add %s/32 dev services" % configuration.DNS,
                "ip address add %s/32 dev services" % configuration.NODE,
                "ip link set services up", "ip route add default dev services", "sysctl -qw net.ipv4.ip_forward=1",
                # What one pod sends to another by a service's address must be translated on the way back, too.
                "sysctl -qw net.bridge.bridge-nf-call-iptables=1"):
            self.node.run(*command.split())

    def _service(self, name, *arguments):
        self.node.start_service(name, self.bin / "hyperkube", name, *arguments)

    def _start_containerd(self):
        self.node.start_service("containerd", "containerd", "--config", self.run / "containerd.toml")
        self.node.wait("containerd", 60, lambda: self.ctr("version"))
        for image in self._own_images():
            self.load_image(image)

    def _start_kubernetes(self):
        client = configuration.client_flags(self.run)
        self._service("kube-controller-manager", *client, "--service-account-private-key-file=%s/pki/sa.key" % self.run,
                      "--root-ca-file=%s/pki/ca.crt" % self.run, "--enable-hostpath-provisioner")
        # It makes volumes' folders for root alone, and nothing knows of fsGroup for them.
        self.node.start_service("volumes", "sh", "-c", "while sleep 0.2; do chmod -f 777 /tmp/hostpath_pv/*; done")
        self._service("kube-scheduler", *client)
        self._service("kubelet", "--config=%s/kubelet.json" % self.run, "--kubeconfig=%s/admin.kubeconfig" % self.run,
                      "--root-dir=%s/kubelet" % self.run, "--cert-dir=%s/pki" % self.run,
                      "--hostname-override=" + configuration.NAME, "--node-ip=" + configuration.NODE)
        self._service("kube-proxy", "--config=%s/kube-proxy.json" % self.run)
        self.apply({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "kubernetes.io/host-path",
                    "metadata": {"name": "folder", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}},
                   namespace="default")
        self.node.start_service("coredns", self.bin / "coredns", "-conf", self.run / "Corefile")

    def _start_argo(self):
        self.kubectl("create", "namespace", NAMESPACE)
        manifests = self.argo_source / "manifests"
        crds = sorted((manifests / "base" / "crds" / "full").glob("argoproj.io_*.yaml"))
        self.kubectl("apply", "--server-side", *("--filename=%s" % crd for crd in crds))
        quick_start = manifests / "quick-start" / "base"
        self.kubectl("apply", "-n", NAMESPACE, "-f", quick_start / "executor" / "emissary" / "executor-role.yaml",
                     "-f", quick_start / "executor-default-rolebinding.yaml")
        self.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "workflow-controller-configmap"},
                    "data": {"images": json.dumps({i: {"entrypoint": e} for i, e in argo_examples.ENTRYPOINTS.items()})}})
        self.kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd/workflows.argoproj.io",
                     "crd/workflowtaskresults.argoproj.io")
        self.node.wait("the default service account", 60, lambda: self.kubectl("get", "-n", NAMESPACE, "serviceaccount", "default"))
        self.node.start_service(
            "workflow-controller", self.bin / "workflow-controller", "--kubeconfig=%s/admin.kubeconfig" % self.run,
            "--namespace=" + NAMESPACE, "--executor-image=" + EXECUTOR_IMAGE, "--executor-image-pull-policy=Never",
            LEADER_ELECTION_DISABLE="true", DEFAULT_REQUEUE_TIME="1s")

    def _answers(self, url):
        self.node.run("wget", "-q", "-O", "/dev/null", "-T", "2", url)
        return True

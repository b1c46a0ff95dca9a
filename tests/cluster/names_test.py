"""The cluster's own network: services have addresses that work, and names."""

import tools_image
from case import ClusterCase

# The cluster's DNS hears of a Service's endpoints some time after the pod is ready, and remembers for seconds what it did not know.
SECONDS = 90
SERVE = ["python3", "-m", "http.server", "8000", "--directory", "/etc"]


def pod(name, command, **spec):
    container = {"name": "main", "image": tools_image.NAME, "command": command,
                 "readinessProbe": {"tcpSocket": {"port": 8000}, "periodSeconds": 1}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "server"}},
            "spec": {"containers": [container], "terminationGracePeriodSeconds": 0, **spec}}


def service(name, **spec):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"selector": {"app": "server"}, "ports": [{"port": 80, "targetPort": 8000}], **spec}}


class NamesTest(ClusterCase):

    def setUp(self):
        self.namespace = self.scratch_namespace()
        self.cluster.apply(
            pod("one", SERVE, hostname="first", subdomain="pods"), service("web"), service("pods", clusterIP="None"),
            namespace=self.namespace)
        self.kubectl("wait", "-n", self.namespace, "--for=condition=Ready", "pod/one", "--timeout=120s")

    def inside(self, *command):
        return self.kubectl("exec", "-n", self.namespace, "one", "--", *command).stdout

    def fetched(self, url):
        """What is at that address, once it answers."""
        return self.until("an answer from " + url, SECONDS, lambda: self.inside("wget", "-q", "-O-", url))

    def test_a_service_answers_at_its_address_and_by_its_names(self):
        address = self.cluster.get("-n", self.namespace, "service", "web")["spec"]["clusterIP"]
        for host in (address, "web", "web." + self.namespace, "web.%s.svc.cluster.local" % self.namespace):
            with self.subTest(host):
                self.assertIn("root", self.fetched("http://%s/passwd" % host))

    def test_a_pod_behind_a_headless_service_has_a_name(self):
        service = "pods.%s.svc.cluster.local" % self.namespace
        self.assertIn("root", self.fetched("http://first.%s:8000/passwd" % service))
        address = self.cluster.get("-n", self.namespace, "pod", "one")["status"]["podIP"]
        self.until("the pod's address by the service's name", SECONDS, lambda: address in self.inside("nslookup", service))

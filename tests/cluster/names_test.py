"""The cluster's own network: services have addresses that work, and names."""

import tools_image
from case import ClusterCase

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

    def test_a_service_answers_at_its_address_and_by_its_names(self):
        address = self.cluster.get("-n", self.namespace, "service", "web")["spec"]["clusterIP"]
        for host in (address, "web", "web." + self.namespace, "web.%s.svc.cluster.local" % self.namespace):
            with self.subTest(host):
                answer = self.until("an answer from " + host, 20, lambda: self.inside("wget", "-q", "-O-", "http://%s/passwd" % host))
                self.assertIn("root", answer)

    def test_a_pod_behind_a_headless_service_has_a_name(self):
        answer = self.until("an answer by the pod's name", 20, lambda: self.inside(
            "wget", "-q", "-O-", "http://first.pods.%s.svc.cluster.local:8000/passwd" % self.namespace))
        self.assertIn("root", answer)
        address = self.cluster.get("-n", self.namespace, "pod", "one")["status"]["podIP"]
        self.assertIn(address, self.inside("nslookup", "pods.%s.svc.cluster.local" % self.namespace))

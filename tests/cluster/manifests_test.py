"""The project's manifests, judged by a real apiserver with Argo's full definitions."""

import base64
import pathlib
import re
import tempfile

import steps
from case import REKINDLE, REPO, ClusterCase
from steps import StepsCase, data_tasks, workflow

MANIFESTS = REPO / "manifests"
OVERLAYS = sorted(path.parent for path in MANIFESTS.rglob("kustomization.yaml"))
WORKFLOWS = sorted(path for path in (REPO / "examples").rglob("*.yaml") if "argoproj.io/" in path.read_text())


# What each account may do. Everyone may ask what it may.
RIGHTS = {
    "rekindle": ["workflowtaskresults.argoproj.io [create patch]"],
    "rekindle-metadata": [],
}


def remove_all(cluster):
    # Argo's controller lets go of pods while their Workflow is there.
    cluster.kubectl("delete", "workflows", "--all", "-n", REKINDLE, "--timeout=120s", check=False)
    cluster.kubectl("delete", "namespace", REKINDLE, "--ignore-not-found", "--timeout=300s")


class ManifestsTest(ClusterCase):

    def setUp(self):
        remove_all(self.cluster)
        self.addCleanup(remove_all, self.cluster)

    def test_every_overlay_is_accepted_and_applying_it_again_changes_nothing(self):
        # Its claims are of another size, which cannot be changed: first, and alone.
        for overlay in sorted(OVERLAYS, key=lambda path: path != steps.QUICK_START):
            with self.subTest(str(overlay.relative_to(MANIFESTS))):
                rendered = self.kubectl("kustomize", overlay).stdout
                self.kubectl("apply", "-f", "-", input=rendered)
                again = self.kubectl("apply", "-f", "-", input=rendered)
                changed = [line for line in again.stdout.splitlines() if not line.endswith(" unchanged")]
                self.assertEqual(changed, [])
                self.assertEqual(again.stderr, "")
            if overlay == steps.QUICK_START:
                remove_all(self.cluster)

    def test_what_the_quick_start_installs(self):
        self.kubectl("apply", "-k", steps.QUICK_START)
        self.assertTrue(WORKFLOWS)
        for path in WORKFLOWS:
            with self.subTest("accepts %s" % path.relative_to(REPO)):
                self.kubectl("create", "--dry-run=server", "-n", REKINDLE, "-f", path)
        for account, rights in RIGHTS.items():
            with self.subTest("rights of %s" % account):
                self.assertEqual(self.rights_of(account), rights)
        with self.subTest("refuses pods that are not restricted"):
            refused = self.kubectl("run", "free", "-n", REKINDLE, "--image=rekindle:metadata", check=False)
            self.assertIn('violates PodSecurity "restricted', refused.stderr)

    def rights_of(self, account):
        """Resources and verbs. Lines of addresses that are no resource begin with blanks."""
        listed = self.kubectl("auth", "can-i", "--list", "--no-headers", "-n", REKINDLE,
                              "--as=system:serviceaccount:%s:%s" % (REKINDLE, account)).stdout
        rules = [line for line in listed.splitlines() if not line.startswith((" ", "selfsubject"))]
        return sorted(re.sub(r"\s+\[\]\s+\[\]\s+", " ", rule) for rule in rules)


class TlsTest(StepsCase):
    """The overlay `tls`, with certificates made as docs/kubernetes.md says."""

    overlay = MANIFESTS / "overlays" / "tls"

    @classmethod
    def setUpClass(cls):
        remove_all(cls.cluster)
        cls.addClassCleanup(remove_all, cls.cluster)
        super().setUpClass()

    @classmethod
    def make_secrets(cls):
        document = (REPO / "docs" / "kubernetes.md").read_text()
        (recipe,) = [block for block in re.findall(r"```\n(.*?)```", document, re.DOTALL) if "openssl req -x509" in block]
        with tempfile.TemporaryDirectory() as folder:
            kubectl = "kubectl() { '%s' kubectl \"$@\"; }\n" % (cls.cluster.bin / "hyperkube")
            cls.cluster.inside("bash", "-euc", kubectl + recipe, cwd=folder)

    def test_steps_get_in_by_their_certificate_and_nobody_without(self):
        done = self.succeeded(self.submit_object(workflow("tls", data_tasks("tls"))))
        self.assertEqual(self.outputs_of(done, "schema")["state"], "COMPLETE")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            files = self.cluster.get("-n", REKINDLE, "secret", "rekindle-client-tls")["data"]
            for file, content in files.items():
                (folder / file).write_bytes(base64.b64decode(content))
            authority = "--metadata-ca=%s" % (folder / "ca.crt")
            own = ["--metadata-cert=%s" % (folder / "tls.crt"), "--metadata-key=%s" % (folder / "tls.key")]
            for scheme, flags, code in (("grpcs", [authority, *own], 0), ("grpcs", [authority], 75), ("grpc", [], 75)):
                with self.subTest(scheme=scheme, flags=len(flags)):
                    answer = self.ask_by_name(folder, scheme, *flags)
                    self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)

    def ask_by_name(self, folder, scheme, *flags):
        """A query to the name that the server's certificate is made out to, which only this process knows."""
        address = self.cluster.get("-n", REKINDLE, "service", "rekindle-metadata")["spec"]["clusterIP"]
        hosts = folder / "hosts"
        hosts.write_text("%s rekindle-metadata\n" % address)
        return self.cluster.inside(
            "unshare", "--mount", "sh", "-ec", 'mount --bind "$0" /etc/hosts; exec "$@"', hosts,
            steps.BIN / "rekindle", "metadata", "list", "executions", "--metadata=%s://rekindle-metadata:8080" % scheme, *flags,
            check=False)

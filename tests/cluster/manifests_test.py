"""The project's manifests, judged by a real apiserver with Argo's full definitions."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import steps
from case import REPO, ClusterCase
from steps import StepsCase, data_tasks, rendered, workflow

MANIFESTS = REPO / "manifests"
# Not the one of the tests that run beside these.
NAMESPACE = "rekindle-manifests"
# Claims cannot be changed: those that have their own come first, each alone.
OWN_CLAIMS = [steps.QUICK_START, MANIFESTS / "overlays" / "production"]
OVERLAYS = [*OWN_CLAIMS, MANIFESTS / "base", *sorted(set((MANIFESTS / "overlays").iterdir()).difference(OWN_CLAIMS))]
WORKFLOWS = sorted(path for path in (REPO / "examples").rglob("*.yaml") if "argoproj.io/" in path.read_text())


# What each account may do. Everyone may ask what it may.
RIGHTS = {
    "rekindle": ["workflowtaskresults.argoproj.io [create patch]"],
    "rekindle-metadata": [],
}


class ManifestsTest(ClusterCase):

    namespace = NAMESPACE

    def setUp(self):
        self.remove_namespace()
        self.addCleanup(self.remove_namespace)

    def test_every_overlay_is_accepted_and_applying_it_again_changes_nothing(self):
        for overlay in OVERLAYS:
            with self.subTest(str(overlay.relative_to(MANIFESTS))):
                manifests = rendered(self.cluster, overlay, self.namespace)
                self.kubectl("apply", "-f", "-", input=manifests)
                again = self.kubectl("apply", "-f", "-", input=manifests)
                changed = [line for line in again.stdout.splitlines() if not line.endswith(" unchanged")]
                self.assertEqual(changed, [])
                self.assertEqual(again.stderr, "")
            if overlay == steps.QUICK_START:
                self.assert_rights_and_examples()
            if overlay in OWN_CLAIMS:
                self.remove_namespace()

    def assert_rights_and_examples(self):
        self.assertTrue(WORKFLOWS)
        for path in WORKFLOWS:
            with self.subTest("accepts %s" % path.relative_to(REPO)):
                self.kubectl("create", "--dry-run=server", "-n", self.namespace, "-f", path)
        for account, rights in RIGHTS.items():
            with self.subTest("rights of %s" % account):
                self.assertEqual(self.rights_of(account), rights)
        with self.subTest("refuses pods that are not restricted"):
            refused = self.kubectl("run", "free", "-n", self.namespace, "--image=rekindle:metadata", check=False)
            self.assertIn('violates PodSecurity "restricted', refused.stderr)

    def rights_of(self, account):
        """Resources and verbs. Lines of addresses that are no resource begin with blanks."""
        listed = self.kubectl("auth", "can-i", "--list", "--no-headers", "-n", self.namespace,
                              "--as=system:serviceaccount:%s:%s" % (self.namespace, account)).stdout
        rules = [line for line in listed.splitlines() if not line.startswith((" ", "selfsubject"))]
        return sorted(re.sub(r"\s+\[\]\s+\[\]\s+", " ", rule) for rule in rules)


class DocumentCase(StepsCase):
    """An overlay that needs Secrets, made as docs/kubernetes.md says."""

    namespace = NAMESPACE
    secrets = None  # words of the block that makes them

    @classmethod
    def setUpClass(cls):
        cls.remove_namespace()
        cls.addClassCleanup(cls.remove_namespace)
        super().setUpClass()

    @classmethod
    def make_secrets(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.obey_the_document(cls.secrets, cls.folder)

    @classmethod
    def obey_the_document(cls, words, folder):
        """Runs the block of docs/kubernetes.md that has these words; of one with a loop, up to the loop's end."""
        document = (REPO / "docs" / "kubernetes.md").read_text()
        blocks = re.findall(r"^```\w*\n(.*?)^```$", document, re.DOTALL | re.MULTILINE)
        (block,) = [block for block in blocks if words in block]
        recipe = block[:block.index("done\n") + 5] if "done\n" in block else block
        programs = "kubectl() { '%s' kubectl \"$@\"; }\nrekindle() { '%s' \"$@\"; }\n" % (
            cls.cluster.bin / "hyperkube", steps.BIN / "rekindle")
        cls.cluster.inside("bash", "-euc", programs + recipe.replace("-n rekindle ", "-n %s " % cls.namespace), cwd=folder)


class TokensTest(DocumentCase):

    overlay = MANIFESTS / "overlays" / "tokens"
    secrets = "rekindle token new"

    def test_steps_get_in_by_their_token_and_nobody_without(self):
        done = self.succeeded(self.submit_object(workflow("tokens", data_tasks("tokens"))))
        self.assertEqual(self.outputs_of(done, "schema")["state"], "COMPLETE")
        address = self.cluster.get("-n", self.namespace, "service", "rekindle-metadata")["spec"]["clusterIP"]
        ask = [steps.BIN / "rekindle", "metadata", "export", "--metadata=grpc://%s:8080" % address]
        stranger = self.cluster.inside(*ask, check=False)
        self.assertEqual(stranger.returncode, 1, stranger.stdout)
        self.assertIn("wants to know who calls", stranger.stderr)
        self.cluster.inside(*ask, "--metadata-plaintext-token", "--metadata-token-file=admin.token", cwd=self.folder)
        [server] = self.cluster.get("-n", self.namespace, "pods", "-l", "app.kubernetes.io/component=metadata")["items"]
        audit = [json.loads(line) for line in self.log_of(server["metadata"]["name"], "server").splitlines() if line[:1] == "{"]
        self.assertIn(("Publish", "steps", "OK"), {(record["call"], record["who"], record["outcome"]) for record in audit})
        self.assertIn(("Export", "", "UNAUTHENTICATED"), {(record["call"], record["who"], record["outcome"]) for record in audit})

    def test_each_week_files_are_read_and_a_changed_one_is_named(self):
        made = self.succeeded(self.submit_object(workflow("verify", data_tasks("verify"))))
        number = json.loads(self.outputs_of(made, "schema")["report"])["outputs"]["schema"]["id"]
        cron = (MANIFESTS / "components" / "verify" / "verify.yaml").read_text()
        self.kubectl("apply", "-f", "-", input=cron.replace("namespace: rekindle\n", "namespace: %s\n" % self.namespace))
        self.succeeded(self.submit("--from=cronwf/rekindle-verify"))
        (schema,) = (self.volume("rekindle-artifacts") / "pipelines" / "verify" / "SchemaGen").rglob("schema.pbtxt")
        schema.write_bytes(schema.read_bytes() + b"#")
        found = self.wait_for(self.submit("--from=cronwf/rekindle-verify"))
        self.assertEqual(found["status"]["phase"], "Failed")
        self.assertIn("artifact %s: its files changed" % number, self.account_of(found))


class TlsTest(DocumentCase):

    overlay = MANIFESTS / "overlays" / "tls"
    secrets = "openssl req -x509"

    def test_steps_get_in_by_their_certificate_and_nobody_without(self):
        done = self.succeeded(self.submit_object(workflow("tls", data_tasks("tls"))))
        self.assertEqual(self.outputs_of(done, "schema")["state"], "COMPLETE")
        with tempfile.TemporaryDirectory() as folder:
            self.obey_the_document("get secret rekindle-client-tls", folder)
            own = ["-cert", "tls.crt", "-key", "tls.key"]
            self.assertIn("Verification: OK", self.shake_hands(folder, *own, name="localhost").stdout)  # by port-forward
            for flags, accepted in ((own, True), ([], False)):
                with self.subTest(flags):
                    answer = self.shake_hands(folder, *flags)
                    self.assertEqual(answer.returncode == 0, accepted, answer.stdout + answer.stderr)
                    self.assertIn("Verification: OK", answer.stdout)  # of the server's own certificate

    def shake_hands(self, folder, *flags, name="rekindle-metadata"):
        """TLS with the server. In version 1.2 a certificate that it asks for in vain is the end of it."""
        address = self.cluster.get("-n", self.namespace, "service", "rekindle-metadata")["spec"]["clusterIP"]
        return self.cluster.inside(
            "openssl", "s_client", "-connect", address + ":8080", "-CAfile", "ca.crt", "-verify_return_error",
            "-verify_hostname", name, "-alpn", "h2", "-tls1_2", *flags,
            check=False, cwd=folder, stdin=subprocess.DEVNULL, errors="replace")

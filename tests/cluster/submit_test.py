"""rekindle submit, watch, logs and stop on the cluster, beside argo's own."""

import base64
import contextlib
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import steps
import tools_image
from case import REPO, ClusterCase

CLUSTER_TESTS = REPO / "tests" / "cluster"
# What the executor of a step may do; the quick-start manifests of Argo give the same.
EXECUTOR = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "executor"},
            "rules": [{"apiGroups": ["argoproj.io"], "resources": ["workflowtaskresults"], "verbs": ["create", "patch"]}]}


def binding(role, account):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": role},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": account}]}


def shell(name, command, **fields):
    return {"name": name, "container": {"image": tools_image.NAME, "command": ["sh", "-c"], "args": [command]}, **fields}


def dag(**commands):
    """A workflow of one task after the other."""
    tasks, before = [], []
    for name in commands:
        tasks.append({"name": name, "template": name, "dependencies": before})
        before = [name]
    return workflow("main", {"name": "main", "dag": {"tasks": tasks}}, *(shell(n, c) for n, c in commands.items()))


def workflow(entrypoint, *templates, **spec):
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"generateName": "submitted-"},
            "spec": {"entrypoint": entrypoint, "templates": list(templates), **spec}}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def without_empty(value):
    """What Go writes of fields that nobody gave is left out."""
    if isinstance(value, dict):
        value = {key: without_empty(part) for key, part in value.items()}
        return {key: part for key, part in value.items() if part not in ("", {}, [])}
    return [without_empty(part) for part in value] if isinstance(value, list) else value


class SubmitCase(ClusterCase):

    def setUp(self):
        self.namespace = self.scratch_namespace()
        self.cluster.apply(EXECUTOR, binding("executor", "default"), namespace=self.namespace)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content, name="workflow.yaml"):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def rekindle(self, *arguments, code=0, namespace=None, **options):
        """Runs it in the cluster's network; its output."""
        result = self.cluster.inside(steps.BIN / "rekindle", *arguments, "-n", namespace or self.namespace, check=False, **options)
        self.assertEqual(result.returncode, code, "%s\n%s" % (result.stdout, result.stderr))
        return result

    def refused(self, code, *arguments, **options):
        """What it says when it does not do it: one sentence."""
        error = self.rekindle(*arguments, code=code, **options).stderr
        last = error.strip().splitlines()[-1]
        self.assertTrue(last.startswith("rekindle: "), error)
        return last

    def created(self, name):
        return self.workflow(name)

    def kubeconfig(self, user=None, server=None):
        config = json.loads((self.cluster.run / "admin.kubeconfig").read_text())
        if user:
            config["users"][0]["user"] = user
        if server:
            config["clusters"][0]["cluster"]["server"] = server
        return self.file(config, "kubeconfig")

    def token_of(self, account, *rules):
        self.cluster.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}},
                           {**EXECUTOR, "metadata": {"name": account}, "rules": list(rules)}, binding(account, account),
                           namespace=self.namespace)
        return self.kubectl("create", "token", account, "-n", self.namespace).stdout.strip()

    def api_server(self):
        return json.loads((self.cluster.run / "admin.kubeconfig").read_text())["clusters"][0]["cluster"]["server"]


class SubmitTest(SubmitCase):

    def test_wait_ends_as_argo_does(self):
        for name, command in (("good", "true"), ("bad", "exit 3")):
            with self.subTest(name):
                path = self.file(dag(step=command))
                ours = self.cluster.inside(steps.BIN / "rekindle", "submit", "--wait", path, "-n", self.namespace, check=False)
                theirs = self.cluster.argo("submit", "--wait", path, "-n", self.namespace, check=False)
                self.assertEqual(ours.returncode, theirs.returncode, ours.stderr)
                self.assertRegex(ours.stdout, r"submitted-\w{5} %s at 2" % ("Succeeded" if name == "good" else "Failed"))

    def test_what_is_created_is_what_argo_creates(self):
        suspended = dag(step="echo {{workflow.parameters.a}}")
        suspended["spec"].update(suspend=True, arguments={"parameters": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]})
        self.cluster.apply({**suspended, "kind": "WorkflowTemplate", "metadata": {"name": "kept"}},
                           {"apiVersion": "argoproj.io/v1alpha1", "kind": "CronWorkflow", "metadata": {"name": "nightly"},
                            "spec": {"schedules": ["0 0 1 1 *"], "workflowSpec": suspended["spec"],
                                     "workflowMetadata": {"labels": {"made": "nightly"}}}},
                           namespace=self.namespace)
        changes = ["-p", "a=x=y", "--labels", "team=ml,tier=1", "--entrypoint", "step", "--serviceaccount", "default"]
        parameters = self.file("b: [1, two]\nc: true\n", "parameters.yaml")
        for source in ([self.file(suspended)], ["--from", "workflowtemplate/kept"], ["--from", "cronwf/nightly"]):
            for given in ([], changes, ["--name", "mine"], ["--generate-name", "other-"], ["-f", parameters]):
                with self.subTest(source=source, given=given):
                    ours = self.rekindle("submit", *source, *given, "-o", "json").stdout
                    self.kubectl("delete", "workflow", "-n", self.namespace, "--all")
                    theirs = self.cluster.argo("submit", *source, *given, "-o", "json", "-n", self.namespace).stdout
                    self.kubectl("delete", "workflow", "-n", self.namespace, "--all")
                    self.assertEqual(self.essence(ours), self.essence(theirs))

    @staticmethod
    def essence(text):
        """A created object without what is different each time."""
        created = json.loads(text)
        metadata = created["metadata"]
        labels = {k: v for k, v in metadata.get("labels", {}).items() if not k.startswith("workflows.argoproj.io/phase")}
        annotations = sorted(metadata.get("annotations", {}))
        owners = [{**owner, "uid": ""} for owner in metadata.get("ownerReferences", [])]
        arguments = created["spec"].get("arguments", {})
        if "parameters" in arguments:
            arguments["parameters"].sort(key=lambda p: p["name"])
        name = metadata["name"] if not metadata.get("generateName") else metadata["name"][:-5]
        return name, metadata.get("generateName"), labels, annotations, owners, without_empty(created["spec"])

    def test_watch_shows_the_graph_and_ends_as_the_workflow_did(self):
        name = self.rekindle("submit", self.file(dag(first="echo 1", second="exit 4", third="true")), "-o", "name").stdout.strip()
        shown = self.rekindle("watch", name, code=1).stdout
        self.assertIn("✔ %s.first  Succeeded" % name, shown)
        self.assertIn("✖ %s.second  Failed" % name, shown)
        self.assertRegex(shown, r"├─✔ first +first +\d+s")
        self.assertRegex(shown, r"├─✖ second +second +\d+s .*exit code 4")
        self.assertRegex(shown, r"└─○ third .*omitted")

    def test_logs_are_those_of_the_pods(self):
        path = self.file(dag(first="for i in 1 2 3; do echo one $i; done", second="echo two; printf 'no end'"))
        name = self.rekindle("submit", path, "-o", "name").stdout.strip()
        followed = self.rekindle("logs", name, "-f").stdout
        lines = ["first: one 1", "first: one 2", "first: one 3", "second: two", "second: no end"]
        self.assertEqual(followed.splitlines(), lines)
        self.assertEqual(self.rekindle("logs", "@latest").stdout.splitlines(), lines)
        self.assertEqual(self.rekindle("logs", name, "second", "--grep", "^no").stdout, "second: no end\n")
        theirs = self.cluster.argo("logs", name, "-n", self.namespace, "--no-color").stdout
        said = [line.split(": ", 1)[1] for line in theirs.splitlines() if " argo=true" not in line]
        self.assertEqual(sorted(said), sorted(line.split(": ", 1)[1] for line in lines))

    def test_submit_with_logs_ends_as_the_workflow_did(self):
        result = self.rekindle("submit", "--log", self.file(dag(only="echo said; exit 5")), code=1)
        self.assertIn("only: said\n", result.stdout)

    def test_stop_runs_exit_handlers_and_terminate_does_not(self):
        long = workflow("long", shell("long", "sleep 600"), shell("bye", "echo bye"), onExit="bye")
        for flags, runs in (([], True), (["--terminate"], False)):
            with self.subTest(flags):
                name = self.rekindle("submit", self.file(long), "-o", "name").stdout.strip()
                self.until("its pod", 120, lambda: self.node_of(self.created(name), name) if "nodes" in self.created(name).get("status", {}) else None)
                self.rekindle("stop", name, *flags, "--message", "enough", "--wait")
                ended = self.created(name)
                self.assertEqual(ended["status"]["phase"], "Failed")
                self.assertEqual(ended["spec"]["shutdown"], "Terminate" if flags else "Stop")
                self.assertEqual(ended["metadata"]["annotations"]["rekindle.dev/stop-message"], "enough")
                self.assertEqual(self.node_of(ended, name + ".onExit") is not None, runs)
                self.assertIn("has finished already", self.refused(1, "stop", name))

    def test_ctrl_c_leaves_the_workflow_running_and_says_so(self):
        name = self.rekindle("submit", self.file(workflow("long", shell("long", "sleep 600"))), "-o", "name").stdout.strip()
        for verb in (["watch", name], ["logs", "-f", name]):
            with self.subTest(verb):
                with subprocess.Popen(
                        self.cluster.inside_command(steps.BIN / "rekindle", *verb, "-n", self.namespace),
                        env=self.cluster.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                    try:
                        self.until("its watch", 60, lambda: self.is_connected(process.pid))
                        process.send_signal(signal.SIGINT)
                        _, error = process.communicate(timeout=60)
                    finally:
                        process.kill()
                self.assertEqual(process.returncode, 130, error)
                self.assertIn("workflow '%s' goes on without us" % name, error)
        self.assertNotIn("shutdown", self.created(name)["spec"])
        self.rekindle("stop", name, "--terminate")

    @staticmethod
    def is_connected(pid):
        """Whether it has a connection, and still has it when it must have asked for more than the workflow's name."""
        def sockets():
            with contextlib.suppress(OSError):  # closed meanwhile
                return {str(f.readlink()) for f in pathlib.Path("/proc/%d/fd" % pid).iterdir() if "socket:" in str(f.readlink())}
            return set()

        before = sockets()
        time.sleep(2)
        return before and before & sockets()

    def test_a_watch_that_is_cut_every_second_is_carried_on(self):
        host, port = self.api_server().removeprefix("https://").split(":")
        proxy = subprocess.Popen(
            self.cluster.inside_command(sys.executable, CLUSTER_TESTS / "cutting_proxy.py", host, port, "1"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(proxy.communicate)
        server = "https://127.0.0.1:%s" % proxy.stdout.readline().strip()
        path = self.file(dag(**{"n%d" % i: "echo %d; sleep 2" % i for i in range(4)}))
        result = self.rekindle("submit", "--log", path, "--kubeconfig", self.kubeconfig(server=server))
        self.assertEqual([l for l in result.stdout.splitlines() if l.startswith("n")], ["n%d: %d" % (i, i) for i in range(4)])


class IdentityTest(SubmitCase):
    """Who we are to a real apiserver."""

    WATCHER = [{"apiGroups": ["argoproj.io"], "resources": ["workflows"], "verbs": ["get", "list", "watch"]}]

    def setUp(self):
        super().setUp()
        self.name = self.rekindle("submit", self.file(dag(step="true")), "-o", "name").stdout.strip()

    def test_a_kubeconfig_with_a_certificate_a_token_file_or_a_plugin(self):
        token = self.token_of("watcher", *self.WATCHER)
        plugin = self.file('#!/bin/sh\necho \'{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", '
                           '"status": {"token": "%s"}}\'\n' % token, "plugin")
        plugin.chmod(0o755)
        pki = self.cluster.run / "pki"
        for user in ({"client-certificate": str(pki / "admin.crt"), "client-key": str(pki / "admin.key")},
                     {"tokenFile": str(self.file(token, "token"))},
                     {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}}):
            with self.subTest(list(user)):
                self.assertIn("Succeeded", self.rekindle("watch", self.name, "--kubeconfig", self.kubeconfig(user)).stdout)

    def test_a_pod_has_its_own_account(self):
        self.token_of("watcher", *self.WATCHER)
        container = {"name": "main", "image": "rekindle:metadata", "imagePullPolicy": "Never",
                     "command": ["rekindle", "watch", self.name]}
        self.cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "watch"},
                            "spec": {"serviceAccountName": "watcher", "restartPolicy": "Never", "containers": [container]}},
                           namespace=self.namespace)
        self.until("its end", 120, lambda: self.phase_of("watch") in ("Succeeded", "Failed"))
        said = self.kubectl("logs", "watch", "-n", self.namespace).stdout
        self.assertEqual(self.phase_of("watch"), "Succeeded", said)
        self.assertIn(self.name, said)

    def phase_of(self, pod):
        return self.cluster.get("pod", pod, "-n", self.namespace)["status"].get("phase")


class BadInputTest(SubmitCase):

    def expired_token(self):
        """What the cluster itself signed an hour ago."""
        claims = {"iss": "https://kubernetes.default.svc", "aud": ["https://kubernetes.default.svc"],
                  "exp": int(time.time()) - 3600, "iat": int(time.time()) - 7200, "sub": "system:serviceaccount:default:default"}
        token = "%s.%s" % tuple(base64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.cluster.run / "pki" / "sa.key"],
                                   input=token.encode(), capture_output=True, check=True).stdout
        return "%s.%s" % (token, base64url(signature))

    def test_a_forbidden_verb_is_named(self):
        token = self.token_of("reader", {"apiGroups": ["argoproj.io"], "resources": ["workflows"], "verbs": ["get", "list"]})
        config = self.kubeconfig({"token": token})
        sentence = self.refused(1, "submit", self.file(dag(step="true")), "--kubeconfig", config)
        self.assertIn("'system:serviceaccount:%s:reader' may not create workflows.argoproj.io in namespace '%s'" % (
            self.namespace, self.namespace), sentence)
        name = self.rekindle("submit", self.file({**dag(step="true"), "spec": {**dag(step="true")["spec"], "suspend": True}}),
                             "-o", "name").stdout.strip()
        self.assertIn("may not watch workflows.argoproj.io", self.refused(1, "watch", name, "--kubeconfig", config))
        self.assertIn("may not patch workflows.argoproj.io", self.refused(1, "stop", name, "--kubeconfig", config))

    def test_an_expired_token_is_said_to_be(self):
        sentence = self.refused(1, "submit", self.file(dag(step="true")), "--kubeconfig", self.kubeconfig({"token": self.expired_token()}))
        self.assertIn("(401): it has expired", sentence)

    def test_a_namespace_that_does_not_exist(self):
        self.assertIn("there is no namespace 'nowhere'", self.refused(3, "submit", self.file(dag(step="true")), namespace="nowhere"))
        self.assertIn("there is no namespace 'nowhere'", self.refused(3, "watch", "any", namespace="nowhere"))
        self.assertIn("there is no workflow 'any'", self.refused(3, "logs", "any"))
        self.assertIn("no workflows in namespace", self.refused(3, "stop", "@latest"))

    def test_a_template_that_is_not_installed(self):
        task = {"name": "train", "templateRef": {"name": "rekindle", "template": "trainer"}}
        path = self.file(workflow("main", {"name": "main", "dag": {"tasks": [task]}}))
        self.assertIn("WorkflowTemplate 'rekindle' is not installed in namespace '%s', but template 'main', task 'train'" % self.namespace,
                      self.refused(3, "submit", path))
        self.cluster.apply({**workflow("trained", shell("trained", "true")), "kind": "WorkflowTemplate", "metadata": {"name": "rekindle"}},
                           namespace=self.namespace)
        self.assertIn("did you mean 'trained'?", self.refused(3, "submit", path))
        self.assertIn("'gone'", self.refused(3, "submit", "--from", "workflowtemplate/gone"))
        self.assertEqual(self.cluster.get("-n", self.namespace, "workflows")["items"], [])

    def test_a_cluster_that_is_not_there(self):
        config = self.kubeconfig(server="https://127.0.0.1:1")
        self.assertIn("https://127.0.0.1:1", self.refused(75, "submit", self.file(dag(step="true")), "--kubeconfig", config))

    def test_a_file_that_argo_would_refuse_is_refused_before(self):
        bad = dag(step="true")
        bad["spec"]["templates"][0]["dagg"] = bad["spec"]["templates"][0].pop("dag")
        self.assertIn("dagg", self.rekindle("submit", self.file(bad), code=2).stderr)
        self.assertEqual(self.cluster.get("-n", self.namespace, "workflows")["items"], [])

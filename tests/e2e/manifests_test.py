"""What manifests/ says fits together, and what the metadata server is started with is what it takes.

That Kubernetes takes it, too, is for ./test cluster.
"""

import re
import subprocess
import sys

import yaml

import served
import workspace

sys.path.insert(0, str(workspace.REPO / "tests" / "support"))
import step_templates  # noqa: E402

BASE = workspace.REPO / "manifests" / "base"
COMPONENTS = workspace.REPO / "manifests" / "components"
KUSTOMIZATIONS = sorted((workspace.REPO / "manifests").rglob("kustomization.yaml"))


def component(name):
    return yaml.safe_load((COMPONENTS / name / "kustomization.yaml").read_text())


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def objects():
    """All of the base, by kind and name."""
    kustomization = yaml.safe_load((BASE / "kustomization.yaml").read_text())
    found = [document for resource in kustomization["resources"] for document in documents(BASE / resource)]
    found += [{"kind": "ConfigMap", "metadata": {"name": generated["name"]}, "data": dict(
        literal.split("=", 1) for literal in generated["literals"])} for generated in kustomization["configMapGenerator"]]
    return {(document["kind"], document["metadata"]["name"]): document for document in found}


def references(value):
    """What an object names in others, wherever it does."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "serviceAccountName":
                yield "ServiceAccount", item
            elif key == "persistentVolumeClaim":
                yield "PersistentVolumeClaim", item["claimName"]
            elif key in ("configMapKeyRef", "configMapRef"):
                yield "ConfigMap", item["name"]
            elif key == "subjects":
                yield from ((subject["kind"], subject["name"]) for subject in item)
            elif key == "roleRef":
                yield item["kind"], item["name"]
            else:
                yield from references(item)


def labels(pod):
    return pod["metadata"]["labels"]


def selects(selector, pod):
    return selector["matchLabels"].items() <= labels(pod).items()


class ManifestsTest(workspace.Workspace):

    def test_every_kustomization_names_files_and_objects_that_are_there(self):
        known = objects()
        self.assertEqual(len(KUSTOMIZATIONS), 10)
        for path in KUSTOMIZATIONS:
            kustomization = yaml.safe_load(path.read_text())
            with self.subTest(kustomization=path.parent.name):
                for part in kustomization.get("resources", []) + kustomization.get("components", []):
                    self.assertTrue((path.parent / part).exists(), part)
                for patch in kustomization.get("patches", []):
                    kind, name = patch["target"]["kind"], patch["target"].get("name")
                    self.assertTrue(any(kind == k and name in (None, n) for k, n in known), patch["target"])

    def test_whatever_an_object_refers_to_is_there(self):
        known = objects()
        named = {reference for document in known.values() for reference in references(document)}
        self.assertGreaterEqual(len(named), 7)
        self.assertEqual(named - set(known), set())

    def test_the_key_of_the_semaphore_is_there(self):
        [semaphore] = step_templates.load()["trainer-gpu"]["synchronization"]["semaphores"]
        reference = semaphore["configMapKeyRef"]
        self.assertGreaterEqual(int(objects()["ConfigMap", reference["name"]]["data"][reference["key"]]), 1)

    def test_the_images_without_kustomize_are_those_with_it(self):
        known = objects()
        images = known["ConfigMap", "rekindle-images"]["data"]
        for name, template in step_templates.load().items():
            image = step_templates.parameters(template).get("image")
            if image is not None:
                self.assertEqual(image["value"], images["gpu" if name == "trainer-gpu" else "steps"], name)
        [server] = known["Deployment", "rekindle-metadata"]["spec"]["template"]["spec"]["containers"]
        self.assertEqual(server["image"], images["metadata"])

    def test_the_scheduled_check_reads_all_files_with_what_steps_have(self):
        [cron] = documents(COMPONENTS / "verify" / "verify.yaml")
        spec = cron["spec"]["workflowSpec"]
        self.assertEqual(set(references(spec)) - set(objects()), set())
        [template] = spec["templates"]
        container, trainer = template["container"], step_templates.load()["trainer"]
        self.assertEqual(container["image"], objects()["ConfigMap", "rekindle-images"]["data"]["steps"])
        self.assertEqual(spec["securityContext"], trainer["securityContext"])
        self.assertEqual(container["securityContext"], trainer["container"]["securityContext"])
        mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
        secrets = {volume["name"]: volume["secret"] for volume in spec["volumes"] if "secret" in volume}
        for name, path in (("tls", "/tls"), ("tokens", "/token")):
            secret = next(change["value"]["secret"]["secretName"] for change in yaml.safe_load(
                (COMPONENTS / name / "steps.yaml").read_text()) if change["path"].endswith("/volumes/-"))
            self.assertEqual(secrets[mounts[path]], {"secretName": secret, "optional": True})
        self.prepare()
        result = self.run_command(*container["command"][1:], *container["args"], db=self.db)
        self.assertIn("2 artifacts checked, 0 problems", self.ok(result).stdout)

    def test_with_tls_every_step_has_the_certificate(self):
        self.assert_every_step_has_a_secret("tls", "/tls", "rekindle-client-tls")

    def test_with_tokens_every_step_has_one(self):
        self.assert_every_step_has_a_secret("tokens", "/token", "rekindle-step-token")
        [generated] = component("tokens")["configMapGenerator"]
        self.assertIn("REKINDLE_METADATA_TOKEN_FILE=/token/token", generated["literals"])

    def assert_every_step_has_a_secret(self, name, path, secret):
        patched = {}
        for change in yaml.safe_load((COMPONENTS / name / "steps.yaml").read_text()):
            index, field = re.fullmatch(r"/spec/templates/(\d+)/(.+)", change["path"]).groups()
            patched.setdefault(int(index), {})[field] = change["value"]
        templates = list(step_templates.load().values())
        self.assertEqual([templates[index]["name"] for index in sorted(patched)], list(step_templates.steps()))
        for index, fields in patched.items():
            self.assertEqual(fields["name"], templates[index]["name"])
            self.assertEqual(fields["volumes/-"]["name"], fields["container/volumeMounts/-"]["name"])
            self.assertEqual(fields["container/volumeMounts/-"]["mountPath"], path)
            self.assertEqual(fields["volumes/-"]["secret"]["secretName"], secret)

    def server_of(self, name):
        """Flags that a component adds to the server, and the environment that it gives it."""
        changes, merged = [yaml.safe_load(patch["patch"]) for patch in component(name)["patches"]
                           if patch["target"]["kind"] == "Deployment"]
        [container] = merged["spec"]["template"]["spec"]["containers"]
        flags = [change["value"] for change in changes if change["path"].endswith("/args/-")]
        return flags, {variable["name"]: variable["value"] for variable in container["env"]}

    def test_with_tls_the_server_asks_for_certificates(self):
        flags, environment = self.server_of("tls")
        self.assertEqual(flags, ["--tls-cert=/tls/tls.crt", "--tls-key=/tls/tls.key", "--tls-client-ca=/tls/ca.crt"])
        self.assertEqual(environment, {"REKINDLE_INSECURE": "false"})

    def test_with_tls_probes_and_prometheus_speak_it(self):
        changes = [change for patch in component("tls")["patches"] if "patch" in patch
                   for change in yaml.safe_load(patch["patch"]) if "op" in change]
        values = {change["path"].rpartition("containers/0/")[2]: change["value"] for change in changes}
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            self.assertEqual(values[probe + "/httpGet/scheme"], "HTTPS")
        self.assertEqual(values["/metadata/annotations/prometheus.io~1scheme"], "https")

    def test_the_server_may_be_called_as_its_service(self):
        known = objects()
        [container] = known["Deployment", "rekindle-metadata"]["spec"]["template"]["spec"]["containers"]
        [hosts] = [variable["value"] for variable in container["env"] if variable["name"] == "REKINDLE_HTTP_ALLOWED_HOSTS"]
        self.assertIn("rekindle-metadata", hosts.split("\n"))
        self.assertIn(("Service", "rekindle-metadata"), known)

    def test_with_tokens_the_server_asks_for_them(self):
        flags, environment = self.server_of("tokens")
        self.assertEqual(flags, ["--token-file=/tokens/tokens", "--audit-log=-"])
        self.assertEqual(environment, {"REKINDLE_INSECURE": "false"})

    def test_the_documents_lines_make_what_server_and_steps_mount(self):
        document = (workspace.REPO / "docs" / "kubernetes.md").read_text()
        [block] = [block for block in re.findall(r"^```\w*\n(.*?)^```$", document, re.DOTALL | re.MULTILINE)
                   if "rekindle token new" in block]
        # Keeps the files of a Secret in a folder of its name.
        keep = 'kubectl() { mkdir "$6"; for file in "${@:7}"; do cp "${file#--from-file=}" "$6"; done; }\n'
        rekindle = "rekindle() { '%s' \"$@\"; }\n" % (workspace.BIN / "rekindle")
        subprocess.run(["bash", "-euc", keep + rekindle + block], cwd=self.dir, check=True, env=workspace.ENVIRONMENT)
        server = served.Server(self.db, token_file=self.dir / "rekindle-tokens" / "tokens")
        self.addCleanup(server.close)
        for words, token, code in ((("list", "artifacts"), "rekindle-step-token/token", 0), (("export",), "admin.token", 0),
                                   (("export",), "rekindle-step-token/token", 1)):
            result = self.run_command("metadata", *words, metadata=server.url, metadata_token_file=self.dir / token)
            self.assertEqual(result.returncode, code, result.stderr)

    def test_the_server_of_the_base_says_that_it_is_open(self):
        """And would not start otherwise: it serves others than its own machine."""
        [container] = objects()["Deployment", "rekindle-metadata"]["spec"]["template"]["spec"]["containers"]
        self.assertIn({"name": "REKINDLE_INSECURE", "value": "true"}, container["env"])
        self.assertIn("--host=0.0.0.0", container["args"])
        arguments = [argument for argument in container["args"] if not argument.startswith("--db=")]
        self.assert_refused(self.run_command("serve", *arguments, db=self.db), 2, "--insecure")

    def test_steps_may_only_say_how_they_ended(self):
        known = objects()
        self.assertEqual({key for key in known if key[0] in ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")},
                         {("Role", "rekindle"), ("RoleBinding", "rekindle")})
        self.assertEqual({name for kind, name in known if kind == "ServiceAccount"}, {"rekindle", "rekindle-metadata"})
        [rule] = known["Role", "rekindle"]["rules"]
        self.assertEqual(rule, {"apiGroups": ["argoproj.io"], "resources": ["workflowtaskresults"],
                                "verbs": ["create", "patch"]})

    def test_the_service_and_the_deployment_are_of_the_servers_pods(self):
        known = objects()
        deployment, service = (known[kind, "rekindle-metadata"]["spec"] for kind in ("Deployment", "Service"))
        self.assertEqual(deployment["selector"]["matchLabels"], labels(deployment["template"]))
        self.assertEqual(service["selector"], labels(deployment["template"]))
        [container] = deployment["template"]["spec"]["containers"]
        self.assertEqual({port["targetPort"] for port in service["ports"]}, {port["name"] for port in container["ports"]})

    def test_every_step_may_call_the_server_at_ports_that_it_has(self):
        known = objects()
        policy, server = known["NetworkPolicy", "rekindle-metadata"]["spec"], known["Deployment", "rekindle-metadata"]["spec"]
        self.assertEqual(policy["podSelector"]["matchLabels"], labels(server["template"]))
        [rule] = policy["ingress"]
        [caller] = rule["from"]
        for name, template in step_templates.steps().items():
            self.assertTrue(selects(caller["podSelector"], template), name)
        [container] = server["template"]["spec"]["containers"]
        self.assertEqual({port["port"] for port in rule["ports"]}, {port["name"] for port in container["ports"]})

    def test_steps_reach_each_other_at_the_port_of_their_cluster_alone(self):
        known = objects()
        policy = known["NetworkPolicy", "rekindle-steps"]["spec"]
        [rule] = policy["ingress"]
        [caller] = rule["from"]
        for name, template in step_templates.steps().items():
            self.assertTrue(selects(policy["podSelector"], template), name)
            self.assertTrue(selects(caller["podSelector"], template), name)
        self.assertFalse(selects(policy["podSelector"], known["Deployment", "rekindle-metadata"]["spec"]["template"]))
        templates = step_templates.load()
        [chief, *others] = [step for row in templates["trainer-workers"]["steps"] for step in row]
        given = {p["name"]: p["value"] for p in chief["arguments"]["parameters"]}
        [port] = rule["ports"]
        service = known["Service", given["subdomain"]]
        self.assertEqual([p["port"] for p in service["spec"]["ports"]], [port["port"]])
        self.assertEqual(re.findall(r'"\.(\S+):(\d+)"', given["tf-cluster"]), 3 * [(given["subdomain"], str(port["port"]))])
        # What the Service selects is the trainer's pod with that subdomain, and without it not.
        wanted = {**labels(templates["trainer"]), "rekindle.dev/subdomain": given["subdomain"]}
        self.assertEqual(labels(templates["trainer"])["rekindle.dev/subdomain"], "{{inputs.parameters.subdomain}}")
        self.assertLessEqual(service["spec"]["selector"].items(), wanted.items())
        self.assertIn(("rekindle.dev/subdomain", given["subdomain"]), service["spec"]["selector"].items())
        for step in (chief, *others):
            self.assertIn({"name": "subdomain", "value": given["subdomain"]}, step["arguments"]["parameters"])

    def test_the_server_takes_its_arguments_and_answers_its_probes(self):
        deployment = objects()["Deployment", "rekindle-metadata"]
        [container] = deployment["spec"]["template"]["spec"]["containers"]
        arguments = dict(argument[2:].split("=", 1) for argument in container["args"])
        ports = {port["name"]: str(port["containerPort"]) for port in container["ports"]}
        self.assertEqual(arguments.pop("grpc-port"), ports["grpc"])
        self.assertEqual(arguments.pop("http-port"), ports["http"])
        self.assertIn(("rekindle-metadata", ports["grpc"]), re.findall(
            r"grpc://(.*):(\d+)", objects()["ConfigMap", "rekindle-env"]["data"]["REKINDLE_METADATA"]))
        arguments.update(db=self.db, host="127.0.0.1")
        server = served.Server(arguments.pop("db"), **arguments)
        self.addCleanup(server.close)
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            self.assertEqual(server.curl(container[probe]["httpGet"]["path"])[0], 200, probe)


if __name__ == "__main__":
    workspace.main()

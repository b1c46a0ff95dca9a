"""The WorkflowTemplate `rekindle` and the commands it starts say the same: flags, defaults, outputs."""

import os
import pathlib
import re
import subprocess
import sys

import workspace

sys.path.insert(0, str(workspace.REPO / "tests" / "support"))
import step_templates  # noqa: E402

# Flags that are no parameter of any template, and why.
OTHERWISE = {
    "run-id": "the workflow's uid",
    "node": "short for --node-id",
    "db": "short for --metadata=sqlite:",
    "previous-failure": "the last attempt's message",
    "outputs-dir": "/tmp/outputs in a pod",
    "progress-file": "Argo's own",
    "termination-log": "Kubernetes' own",
    "deadline": "Argo's own",
    "output": "for people and scripts",
    "format": "for people and scripts",
    "dry-run": "for people",
    "lease": "by ConfigMap, for all steps alike",
    "store-timeout": "by ConfigMap, for all steps alike",
    "image-digest": "by ConfigMap, for all steps alike",
    "metadata-ca": "by ConfigMap, for all steps alike",
    "metadata-cert": "by ConfigMap, for all steps alike",
    "metadata-key": "by ConfigMap, for all steps alike",
    "metadata-token-file": "by ConfigMap, for all steps alike",
    "metadata-plaintext-token": "by ConfigMap, for all steps alike",
    "trainer": "part of the image",
    "require-gpu": "what trainer-gpu is for",
    "worker-restarts": "in a pod the default will do",
    "chief-timeout": "in a pod the default will do",
    "skip-validation": "of train only",
    "secret": "by your own template, with a Secret",
    "older-than": "of other writers; not for an exit handler",
    "pipeline": "reap speaks of the run",
    "artifact-root": "by ConfigMap, for all steps alike",
    "verify": "by ConfigMap, for all steps alike",
}
# Flags of a step that has no use for them: never cached, nothing to choose.
UNUSED = {
    "importer": {"no-cache", "cache-ignore-input", "cache-max-age", "allow-partial"},
    "example-gen": {"cache-ignore-input", "allow-partial"},
    "statistics-gen": {"allow-partial"},
    "schema-gen": {"allow-partial"},
    "resolver": {"no-cache", "cache-ignore-input", "cache-max-age"},
    "blesser": {"no-cache", "cache-ignore-input", "cache-max-age", "no"},
    "pusher": {"no-cache", "cache-ignore-input", "cache-max-age"},
}
# Defaults that differ on purpose.
OWN_DEFAULTS = {
    ("grace", "90s"): "a pod has more time than a terminal",
    ("wait", "3m"): "a workflow's steps have ended, or end within their grace period",
    ("node-id", ""): "example-gen's depends on the files",
}
FLAG = re.compile(r"^  --([a-z-]+)(=\S+)?\s+(.*?)(?: \(default: ([^()]*)\))?$")
PLURAL = re.compile(r"--([a-z-]+) takes one in each line")


class Flags:
    """What --help says of a command."""

    def __init__(self, verb):
        text = subprocess.run([str(workspace.BIN / "rekindle"), verb, "--help"], capture_output=True, text=True,
                              check=True, env=workspace.ENVIRONMENT).stdout
        self.defaults, self.singular = {}, {}
        for match in filter(None, map(FLAG.match, text.splitlines())):
            name, _, words, default = match.groups()
            self.defaults[name] = default
            self.singular.update({plural: name for plural in PLURAL.findall(words)})

    def of(self, parameter):
        """The flag that a parameter of this name fills; None if there is none."""
        name = self.singular.get(parameter, parameter)
        return name if name in self.defaults else None


class TemplatesTest(workspace.Workspace):

    def each_step(self):
        """Name and template of each step, and the flags of its command."""
        return [(name, template, Flags(step_templates.verb(template)))
                for name, template in step_templates.steps().items()]

    def test_every_argument_is_a_flag_of_the_command_that_has_the_name_of_its_parameter(self):
        for template_name, template, flags in self.each_step():
            for argument in template["container"]["args"]:
                if not argument.startswith("--") or argument == "--":
                    continue
                name, value = argument[2:].split("=", 1)
                self.assertIsNotNone(flags.of(name), (template_name, argument))
                if value not in ("{{workflow.uid}}", '{{=inputs.parameters.blessed == "false"}}'):
                    self.assertEqual(value, "{{inputs.parameters.%s}}" % name)

    def test_every_flag_is_a_parameter_or_has_a_reason_not_to_be(self):
        for name, template, flags in self.each_step():
            filled = {flags.of(parameter) for parameter in step_templates.parameters(template)}
            unexplained = set(flags.defaults) - filled - set(OTHERWISE) - UNUSED.get(name, set())
            self.assertEqual(unexplained, set(), name)

    def test_defaults_are_those_of_the_command(self):
        for template_name, template, flags in self.each_step():
            for name, parameter in step_templates.parameters(template).items():
                value, default = parameter.get("value"), flags.defaults.get(flags.of(name))
                if (name, value) in OWN_DEFAULTS or not value or default is None:
                    continue
                self.assertEqual(value, default, (template_name, name))

    def test_every_parameter_is_described_and_used(self):
        for name, template in step_templates.load().items():
            used = step_templates.tags(template)
            for parameter in step_templates.parameters(template).values():
                with self.subTest(template=name, parameter=parameter["name"]):
                    self.assertTrue(parameter.get("description"))
                    self.assertIn("inputs.parameters." + parameter["name"], used)

    def test_the_reference_in_the_documentation_is_up_to_date(self):
        text = step_templates.document().read_text()
        self.assertTrue(text.endswith("\n" + step_templates.reference()),
                        "python3 tests/support/step_templates.py writes it anew")

    def test_only_the_template_for_gpus_tolerates_their_taint(self):
        for name, template in step_templates.load().items():
            with self.subTest(template=name):
                gpu = "nvidia.com/gpu" in str(template)
                self.assertEqual(gpu, name == "trainer-gpu")
                self.assertEqual("tolerations" in template, gpu)
                self.assertEqual("synchronization" in template, gpu)

    def argos_own(self, template):
        """What the template says of the rights of the containers that Argo adds."""
        patch = step_templates.pod_spec_patch(template)
        [init] = [container for container in patch["initContainers"] if container["name"] == "init"]
        [wait] = [container for container in patch["containers"] if container["name"] == "wait"]
        return init["securityContext"], wait["securityContext"]

    def test_a_steps_own_code_does_not_get_the_accounts_token(self):
        for name, template in step_templates.steps().items():
            with self.subTest(template=name):
                [main] = [c for c in step_templates.pod_spec_patch(template)["containers"] if c["name"] == "main"]
                [mount] = main["volumeMounts"]
                self.assertEqual(mount["mountPath"], "/var/run/secrets/kubernetes.io/serviceaccount")
                [volume] = [v for v in template["volumes"] if v["name"] == mount["name"]]
                self.assertIn("emptyDir", volume)

    def test_every_pod_is_restricted(self):
        for name, template in step_templates.steps().items():
            with self.subTest(template=name):
                self.assertTrue(template["securityContext"]["runAsNonRoot"])
                self.assertEqual(template["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
                container = template["container"]["securityContext"]
                self.assertTrue(container["readOnlyRootFilesystem"])
                for restricted in (container, *self.argos_own(template)):
                    self.assertFalse(restricted["allowPrivilegeEscalation"])
                    self.assertEqual(restricted["capabilities"], {"drop": ["ALL"]})


class StepsTest(workspace.Workspace):
    """Each template's command, as a pod would start it, without a pod."""

    def setUp(self):
        super().setUp()
        self.outputs = self.dir / "outputs"
        self.templates = step_templates.steps()

    def start(self, name, run="uid-1", message="", **given):
        given = {key.replace("_", "-"): value for key, value in given.items()}
        template = self.templates[name]
        if "pipeline" in step_templates.parameters(template):
            given = {"pipeline": "penguin", **given}
        words, environment = step_templates.command(template, given, run, message)
        environment.update({"REKINDLE_METADATA": "sqlite:%s" % self.db, "REKINDLE_OUTPUTS_DIR": str(self.outputs)})
        return subprocess.run(words, capture_output=True, text=True, cwd=self.dir, timeout=self.timeout, env={
            **workspace.ENVIRONMENT, **environment, "PATH": "%s:%s" % (workspace.BIN, os.environ["PATH"])})

    def values(self, name):
        """What Argo would take for the output parameters; None where a default stands in."""
        values = {}
        for output, parameter in step_templates.parameters(self.templates[name], "outputs").items():
            file = self.outputs / pathlib.Path(parameter["valueFrom"]["path"]).relative_to("/tmp/outputs")
            values[output] = file.read_text() if file.exists() else None
        return values

    def run_step(self, name, **given):
        """The output parameters of a step that must succeed; all of them are there."""
        self.ok(self.start(name, **given))
        values = self.values(name)
        self.assertEqual([output for output, value in values.items() if value is None], [])
        return values

    def run_pipeline(self, run):
        """Every step once, with as few parameters as it takes."""
        results = {}
        for name, given in [
                ("example-gen", {"input": str(workspace.PENGUINS), "null_values": "NA\n"}),
                ("statistics-gen", {}),
                ("schema-gen", {"statistics": "run:StatisticsGen.statistics"}),
                ("trainer", {"label_key": "species", "train_steps": "50", "examples": "latest"}),
                ("evaluator", {"label_key": "species", "slices": "island\nsex\n", "thresholds": "accuracy>=0.1"}),
                ("blesser", {"reason": "seen", "by": "ann"}),
                ("pusher", {"destination": str(self.dir / "serving")}),
                ("resolver", {"inputs": "model=Model:latest\ndata=Examples:latest", "optionals": "data"}),
                ("importer", {"type": "Table", "uri": str(workspace.PENGUINS), "custom_properties": "a=1\nb=x"}),
                ("exec", {"node_id": "Copy", "inputs": "t=Table:run:Importer.result", "outputs": "o=Table\np=Table",
                          "script": "cp %{inputs.t.uri} %{outputs.o.uri}/t && echo > %{outputs.p.uri}/x"})]:
            results[name] = self.run_step(name, run=run, **given)
        return results

    def test_every_output_parameter_is_reported_by_a_step_and_by_one_from_the_cache(self):
        first = self.run_pipeline("uid-1")
        self.assertEqual(first["trainer"]["warm-started-from"], "none")
        self.assertEqual(first["trainer"]["cached"], "false")
        self.assertEqual(first["evaluator"]["blessed"], "true")
        self.assertEqual(first["pusher"]["pushed"], "true")

        second = self.run_pipeline("uid-2")
        self.assertEqual(second["trainer"]["warm-started-from"], first["trainer"]["model-id"])
        for name in ("example-gen", "statistics-gen", "schema-gen", "importer", "exec"):
            self.assertEqual(second[name]["cached"], "true", name)
        self.assertEqual(second["example-gen"]["examples-digest"], first["example-gen"]["examples-digest"])
        self.ok(self.start("reaper", wait="0s"))

    def test_a_step_that_fails_leaves_the_rest_to_the_defaults(self):
        result = self.start("trainer", label_key="species")
        self.assertEqual(result.returncode, 3, result.stderr)
        values = self.values("trainer")
        self.assertEqual(values["state"], "FAILED")
        self.assertIsNone(values["model-uri"])
        for name, parameter in step_templates.parameters(self.templates["trainer"], "outputs").items():
            # Every step that comes to an end has a report; without one it did not.
            self.assertEqual("default" in parameter["valueFrom"], name != "report", name)
        self.assertIsNotNone(values["report"])

    def test_a_decision_against_a_model_is_one(self):
        self.prepare()
        self.train()
        self.ok(self.start("blesser", reason="wrong", blessed="false", pipeline_root=str(self.root)))
        self.assertEqual(self.values("blesser")["blessed"], "false")


if __name__ == "__main__":
    workspace.main()

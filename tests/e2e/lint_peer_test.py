"""`rekindle lint` beside `argo lint --offline`: what Argo accepts we accept, what it refuses in tests/operator/lint/broken
we refuse too, naming the same thing; and the table of fields is Argo's own."""

import json
import pathlib
import re
import subprocess

import yaml

import workspace
from workspace import REPO, Workspace

BROKEN = sorted((REPO / "tests" / "operator" / "lint" / "broken").glob("*.yaml"))
FIELDS = REPO / "docs" / "local-runner-fields.md"
CRDS = "manifests/base/crds/full"


def tool(what):
    return pathlib.Path(subprocess.run([REPO / "tools" / "argo", what], check=True, capture_output=True, text=True).stdout.strip())


class LintPeerTest(Workspace):
    timeout = 600

    @classmethod
    def setUpClass(cls):
        cls.argo = tool("bin")
        cls.source = tool("source")

    def argo_lint(self, *paths):
        return subprocess.run(
            [self.argo, "lint", "--offline", "--no-color", *paths], capture_output=True, text=True, timeout=self.timeout)

    def is_accepted(self, path, templates):
        """What Argo cannot read as YAML it leaves out without a word: that is not accepting it."""
        alone = self.argo_lint(path)
        return "nothing to lint" not in alone.stdout + alone.stderr and self.argo_lint(path, *templates).returncode == 0

    def our_lint(self, *paths):
        result = self.run_command("lint", *paths, output="json")
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return json.loads(result.stdout)["findings"]

    def errors(self, *paths):
        return [one for one in self.our_lint(*paths) if one["severity"] == "error"]

    def test_what_argo_refuses_we_refuse_and_name_the_same_thing(self):
        self.assertGreaterEqual(len(BROKEN), 50)
        ours = {}
        for finding in self.errors(*BROKEN):
            ours.setdefault(finding["file"], []).append(finding)
        for path in BROKEN:
            with self.subTest(path.name):
                wanted = path.read_text().splitlines()[0].removeprefix("# names: ")
                theirs = self.argo_lint(path)
                self.assertEqual(theirs.returncode, 1, theirs.stdout + theirs.stderr)
                findings = ours.get(str(path), [])
                self.assertTrue(findings, "we accept it")
                texts = [" ".join((one["template"], one["field"], one["message"])) for one in findings]
                self.assertTrue(any(wanted in text for text in texts), texts)
                self.assertTrue(all(one["line"] > 0 and one["column"] > 0 for one in findings), findings)

    def test_what_the_project_has_both_accept(self):
        paths = [path for folder in ("manifests", "examples") for path in sorted((REPO / folder).rglob("*.yaml"))
                 if re.search(r"^kind: (Cron)?Workflow(Template)?$", path.read_text(), re.MULTILINE)]
        self.assertGreater(len(paths), 3)
        theirs = self.argo_lint(*paths)
        self.assertEqual(theirs.returncode, 0, theirs.stdout + theirs.stderr)
        self.assertEqual(self.our_lint(*paths), [])

    def test_no_example_of_argo_that_argo_accepts_is_refused(self):
        """Each alone, as Argo is asked; the templates they refer to are given to both."""
        examples = self.source / "examples"
        templates = sorted((examples / "workflow-template").glob("templates.yaml")) + \
            sorted((examples / "cluster-workflow-template").glob("clustertemplates.yaml"))
        checked = 0
        refused = []
        paths = sorted(examples.rglob("*.yaml"))
        by_file = {}
        for finding in self.errors(*paths):
            by_file.setdefault(finding["file"], []).append(finding)
        for path in paths:
            findings = by_file.get(str(path), [])
            checked += 1
            if findings and self.is_accepted(path, [one for one in templates if one != path]):
                refused.append((path.name, findings))
        self.assertGreater(checked, 150)
        self.assertEqual(refused, [])

    def test_the_table_has_the_fields_of_argo_s_own_schema(self):
        ours = {}
        owner = None
        for line in FIELDS.read_text().splitlines():
            if line.startswith("### "):
                owner = line[4:]
            elif (row := re.match(r"\| `(\w+)` \|", line)) and owner:
                ours.setdefault(owner, set()).add(row.group(1))
        root = self.schema("workflows")
        template = root["spec"]["templates"]["items"]
        places = {
            "WorkflowSpec": root["spec"].node, "Template": template.node, "CronWorkflowSpec": self.schema("cronworkflows")["spec"].node,
            "Inputs": template["inputs"].node, "Outputs": template["outputs"].node, "Container": template["container"].node,
            "Script": template["script"].node, "Dag": template["dag"].node, "Suspend": template["suspend"].node,
            "Task": template["dag"]["tasks"]["items"].node, "Step": template["steps"]["items"]["items"].node,
            "RetryStrategy": template["retryStrategy"].node, "Backoff": template["retryStrategy"]["backoff"].node,
            "Parameter": template["inputs"]["parameters"]["items"].node, "Artifact": template["inputs"]["artifacts"]["items"].node,
            "ValueFrom": template["inputs"]["parameters"]["items"]["valueFrom"].node,
            "S3Artifact": template["inputs"]["artifacts"]["items"]["s3"].node, "EnvVar": template["container"]["env"]["items"].node,
            "GitArtifact": template["inputs"]["artifacts"]["items"]["git"].node,
            "Sequence": template["dag"]["tasks"]["items"]["withSequence"].node, "PodGC": root["spec"]["podGC"].node,
        }
        for name, node in places.items():
            with self.subTest(name):
                self.assertEqual(ours[name], set(node["properties"]))

    def schema(self, kind):
        text = (self.source / CRDS / ("argoproj.io_%s.yaml" % kind)).read_text()
        crd = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return Schema(crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"])


class Schema:
    """A place in an OpenAPI schema; [] goes to a property, or with "items" into a list."""

    def __init__(self, node):
        self.node = node

    def __getitem__(self, name):
        return Schema(self.node["items"] if name == "items" else self.node["properties"][name])


if __name__ == "__main__":
    workspace.main()

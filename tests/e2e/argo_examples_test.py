"""Argo's own examples run here as they did under Argo's controller: the same nodes, phases, inputs and outputs.

What the controller made of them is in tests/golden/argo_examples.json. An example that `rekindle run` refuses must be refused for
a reason, by name; which ones these are is a section of docs/local-runner.md, written by

    REKINDLE_WRITE_DOCS=1 ctest -R argo_examples_test
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import argo_examples  # noqa: E402
import workspace  # noqa: E402

PAGE = workspace.REPO / "docs" / "local-runner.md"
BEGIN, END = "<!-- examples: begin -->\n", "<!-- examples: end -->\n"

# Templates that examples find in the cluster.
TEMPLATES = ("cluster-workflow-template/clustertemplates.yaml", "workflow-template/templates.yaml")

# What the controller did because of its cluster, or of its own pace, by the fields of nodes that differ.
OF_THE_CLUSTER = {
    "dag-task-level-timeout.yaml": "15 s of sleep and the start of a pod took more than 20 s",
    "step-level-timeout.yaml": "the controller leaves a pod behind as Pending when another step's time is over",
    "timeouts-workflow.yaml": "half of its pods ask for a node that no cluster has",
}
# What Rekindle does not know.
NOT_KNOWN = {
    "expression-destructure-json-complex.yaml": "jsonpath() knows names and indexes, not filters and slices",
    "fibonacci-seq-conditional-param.yaml": "memoize has no meaning here: nodes that Argo remembered are computed",
}
AT_LEAST = 75  # examples that must run the same, as README.md says


def record(workflow):
    """As tests/cluster/record_examples keeps it."""
    metadata, status = workflow["metadata"], workflow["status"]

    def general(text):
        text = re.sub(re.escape(metadata["name"]) + r"-\d+", "{{node.id}}", text)
        return text.replace(metadata["name"], "{{workflow.name}}").replace(metadata["uid"], "{{workflow.uid}}")

    def outputs(found):
        kept = {}
        if found.get("parameters"):
            kept["parameters"] = {p["name"]: general(p.get("value", "")) for p in found["parameters"]}
        for key in ("result", "exitCode"):
            if key in found:
                kept[key] = general(found[key])
        return kept

    def node(found):
        kept = {"type": found["type"], "phase": found["phase"], "templateName": found.get("templateName", "")}
        if "templateRef" in found:
            kept["templateName"] = "%s/%s" % (found["templateRef"]["name"], found["templateRef"]["template"])
        inputs = {p["name"]: general(p.get("value", "")) for p in found.get("inputs", {}).get("parameters", [])}
        if inputs:
            kept["inputs"] = inputs
        if outputs(found.get("outputs", {})):
            kept["outputs"] = outputs(found.get("outputs", {}))
        return kept

    nodes = {n["name"][len(metadata["name"]):]: node(n) for n in status.get("nodes", {}).values()}
    return {"phase": status["phase"], "outputs": outputs(status.get("outputs", {})), "nodes": nodes}


def forget(ours, varies):
    """Takes out what varied between Argo's own runs: paths such as nodes/NAME/outputs/exitCode."""
    for path in varies:
        for name, node in ours["nodes"].items():
            if path.startswith("nodes/%s/" % name):
                *folders, last = path[len("nodes/%s/" % name):].split("/")
                for folder in folders:
                    node = node.get(folder, {})
                node.pop(last, None)


def differences(ours, theirs):
    """Lines that say where two records differ; a value that varied between Argo's own runs is not in `theirs`."""
    found = []
    forget(ours, theirs.get("varies", []))
    for key in ("phase", "outputs"):
        if key in theirs and ours[key] != theirs[key]:
            found.append("%s: %r, Argo has %r" % (key, ours[key], theirs[key]))
    for name in sorted(set(ours["nodes"]) ^ set(theirs["nodes"])):
        found.append("node '%s' is only %s" % (name, "here" if name in ours["nodes"] else "in Argo"))
    for name, node in theirs["nodes"].items():
        mine = ours["nodes"].get(name, {})
        for key, value in node.items():
            if mine and mine.get(key) != value:
                found.append("node '%s': %s is %r, Argo has %r" % (name, key, mine.get(key), value))
    return found


class ArgoExamplesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="rekindle-examples-"))
        cls.examples = argo_examples.source()
        cls.golden = argo_examples.recorded()
        folders = ":".join(map(str, argo_examples.path_folders()))
        cls.environment = {**workspace.ENVIRONMENT, "PATH": "%s:%s" % (folders, os.environ["PATH"])}
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            names = sorted(cls.golden["examples"])
            cls.results = dict(zip(names, pool.map(cls.run_example, names)))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir, ignore_errors=True)

    @classmethod
    def run_example(cls, name):
        folder = cls.dir / name.replace("/", "-")
        folder.mkdir()
        command = [str(workspace.BIN / "rekindle"), "run", str(cls.examples / name), "-o", "json", "--share", str(folder)]
        for template in TEMPLATES:
            command += ["--template", str(cls.examples / template)]
        for image, words in argo_examples.ENTRYPOINTS.items():
            command += ["--image-command", "%s=%s" % (image, " ".join(words))]
        return subprocess.run(command, cwd=folder, env=cls.environment, capture_output=True, text=True, timeout=300)

    def refused(self):
        """Examples that do not run here, with the first reason."""
        found = {}
        for name, result in self.results.items():
            if result.returncode == 2:
                reason = result.stderr.splitlines()[0][len("rekindle: "):]
                found[name] = re.sub(r"^\S+\.yaml:(\d+):\d+: ", r"line \1: ", reason)
        return found

    def test_the_examples_are_those_that_were_recorded(self):
        for name, golden in self.golden["examples"].items():
            self.assertEqual(argo_examples.digest(self.examples / name), golden["sha256"], name)

    def test_nodes_phases_and_outputs_are_argos(self):
        same, wrong = [], {}
        for name, result in sorted(self.results.items()):
            if result.returncode == 2 or name in OF_THE_CLUSTER or name in NOT_KNOWN:
                continue
            if result.returncode not in (0, 1) or not result.stdout:
                wrong[name] = ["exit %d: %s" % (result.returncode, result.stderr)]
                continue
            found = differences(record(json.loads(result.stdout)), self.golden["examples"][name])
            if found:
                wrong[name] = found
            else:
                same.append(name)
        print("%d run as under Argo %s, %d are refused" % (len(same), self.golden["argo"], len(self.refused())))
        self.assertEqual(wrong, {}, "\n".join("%s\n  %s" % (n, "\n  ".join(d)) for n, d in wrong.items()))
        self.assertGreaterEqual(len(same), AT_LEAST)

    def test_the_page_lists_what_is_refused(self):
        rows = ["| example | why |", "|---|---|"]
        rows += ["| `%s` | %s |" % (name, reason.replace("|", "\\|")) for name, reason in sorted(self.refused().items())]
        section = BEGIN + "\n".join(rows) + "\n" + END
        page = PAGE.read_text()
        before, after = page[:page.index(BEGIN)], page[page.index(END) + len(END):]
        if os.environ.get("REKINDLE_WRITE_DOCS"):
            PAGE.write_text(before + section + after)
            return
        self.assertEqual(page, before + section + after, "docs/local-runner.md is not up to date")


if __name__ == "__main__":
    workspace.main()

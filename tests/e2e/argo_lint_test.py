"""The argo CLI accepts the templates and every example."""

import subprocess

import workspace

TEMPLATES = workspace.REPO / "manifests" / "base" / "templates" / "rekindle.yaml"
EXAMPLES = sorted((workspace.REPO / "examples").rglob("*.yaml"))
ARGO = subprocess.run([workspace.REPO / "tools" / "argo", "bin"], capture_output=True, text=True, check=True).stdout.strip()


def lint(*files):
    return subprocess.run([ARGO, "lint", "--offline", "--no-color", *map(str, files)], capture_output=True, text=True,
                          timeout=60)


class ArgoLintTest(workspace.Workspace):

    def test_it_accepts_the_templates(self):
        self.ok(lint(TEMPLATES))

    def test_it_accepts_every_example(self):
        self.assertGreaterEqual(len(EXAMPLES), 9)
        for example in EXAMPLES:
            with self.subTest(example=example.relative_to(workspace.REPO)):
                self.ok(lint(TEMPLATES, example))

    def test_it_refuses_an_example_with_a_parameter_missing(self):
        broken = self.dir / "pipeline.yaml"
        text = (workspace.REPO / "examples" / "penguin" / "pipeline.yaml").read_text()
        broken.write_text(text.replace('                - {name: input, value: "{{workflow.parameters.data}}"}\n', ""))
        result = lint(TEMPLATES, broken)
        self.assertEqual(result.returncode, 1)
        self.assertIn("inputs.parameters.input was not supplied", result.stdout + result.stderr)


if __name__ == "__main__":
    workspace.main()

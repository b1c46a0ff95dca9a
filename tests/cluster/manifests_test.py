"""The project's manifests, judged by a real apiserver with Argo's full definitions."""

from case import REKINDLE, REPO, ClusterCase

MANIFESTS = REPO / "manifests"
OVERLAYS = sorted(path.parent for path in MANIFESTS.rglob("kustomization.yaml"))
WORKFLOWS = sorted(path for path in (REPO / "examples").rglob("*.yaml") if "argoproj.io/" in path.read_text())


class ManifestsTest(ClusterCase):

    def setUp(self):
        self.remove()
        self.addCleanup(self.remove)

    def remove(self):
        # Argo's controller lets go of pods while their Workflow is there.
        self.kubectl("delete", "workflows", "--all", "-n", REKINDLE, "--timeout=120s", check=False)
        self.kubectl("delete", "namespace", REKINDLE, "--ignore-not-found", "--timeout=300s")

    def test_every_overlay_is_accepted_and_applying_it_again_changes_nothing(self):
        for overlay in OVERLAYS:
            with self.subTest(str(overlay.relative_to(MANIFESTS))):
                self.remove()
                rendered = self.kubectl("kustomize", overlay).stdout
                self.kubectl("apply", "-f", "-", input=rendered)
                again = self.kubectl("apply", "-f", "-", input=rendered)
                changed = [line for line in again.stdout.splitlines() if not line.endswith(" unchanged")]
                self.assertEqual(changed, [])
                self.assertEqual(again.stderr, "")

    def test_every_workflow_of_the_examples_is_accepted(self):
        self.kubectl("apply", "-k", MANIFESTS / "overlays" / "quick-start")
        self.assertTrue(WORKFLOWS)
        for path in WORKFLOWS:
            with self.subTest(str(path.relative_to(REPO))):
                self.kubectl("create", "--dry-run=server", "-n", REKINDLE, "-f", path)

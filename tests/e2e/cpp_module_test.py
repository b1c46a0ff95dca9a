"""A module in C++ with run_fn through `rekindle train`: what it leaves is tried and published, what is wrong is said."""

import json
import pathlib
import signal
import subprocess
import sys

import workspace

FAILED, TERMINATED = 1, 143
MODULE = pathlib.Path(sys.argv.pop(1))  # tests/component/modules/traced_module.cc


class CppModuleTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.prepare()

    def run_module(self, module=MODULE, run="r2", **config):
        return self.step("train", run_id=run, module_file=module, custom_config=json.dumps(config), output="json")

    def test_its_model_is_published_with_its_lineage(self):
        base = self.train()["outputs"]["model"]
        report = json.loads(self.ok(self.run_module(copy=True)).stdout)
        model = report["outputs"]["model"]
        self.assertEqual(report["inputs"]["base_model"][0]["id"], base["id"])
        files = lambda uri: sorted(f.name for f in pathlib.Path(uri, "Format-Serving").rglob("*") if f.is_file())
        self.assertEqual(files(model["uri"]), files(base["uri"]))
        self.assertEqual(set(self.states()), {"COMPLETE"})

    def test_what_is_wrong_with_a_module_is_said_and_nothing_is_published(self):
        text = self.dir / "text.so"
        text.write_text("no library")
        other = self.dir / "other.so"
        other.write_bytes(MODULE.read_bytes().replace(b"g++ 12", b"g++ 11"))
        for module, config, reason, sentence in [
                (MODULE, {"fail": True}, "MODULE_RAISED", "asked to fail"),
                (MODULE, {"throw": True}, "MODULE_RAISED", "threw: asked to"),
                (MODULE, {"count": True}, "NO_OUTPUT", "left no SavedModel"),
                (text, {}, "MODULE_UNUSABLE", "it is not a shared library"),
                (other, {}, "MODULE_UNUSABLE", "was built with the compiler g++ 11")]:
            with self.subTest(sentence=sentence):
                self.assert_refused(self.run_module(module, **config), FAILED, sentence)
                self.assert_recorded(reason)
        self.assertEqual(self.published("Trainer", "model"), [])
        self.assertEqual(self.query("list", "artifacts", "--type=Model"), [])

    def test_it_is_asked_to_stop(self):
        words = self.command("train", pipeline="penguin", db=self.db, pipeline_root=self.root, run_id="r2",
                             module_file=MODULE, custom_config='{"wait": true}')
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=self.dir, env=workspace.ENVIRONMENT) as step:
            for line in step.stderr:
                if line.strip() == "waiting":
                    break
            step.send_signal(signal.SIGTERM)
            step.communicate(timeout=60)
        self.assertEqual(step.returncode, TERMINATED)
        self.assertEqual(self.states()[-1], "CANCELED")


if __name__ == "__main__":
    workspace.main()

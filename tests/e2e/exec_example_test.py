"""examples/exec/run.sh does what its README says."""

import subprocess

import workspace


class ExecExampleTest(workspace.Workspace):

    def run_example(self, run):
        return self.ok(subprocess.run(
            [str(workspace.REPO / "examples" / "exec" / "run.sh"), str(workspace.BIN), str(self.dir), run],
            capture_output=True, text=True, env=workspace.ENVIRONMENT, timeout=60))

    def test_it_counts_the_complete_rows(self):
        result = self.run_example("r1")
        self.assertIn("species,rows\nAdelie,146\nChinstrap,68\nGentoo,119\n", result.stdout.replace("\r", ""))
        report = self.query("list", "artifacts", "--type=Metrics")[0]
        self.assertEqual((report["custom_properties"]["rows"], report["custom_properties"]["species"]), (333, 3))
        self.assertEqual(report["custom_properties"]["share_of_largest"], 146 / 333)

    def test_a_second_run_knows_the_table(self):
        self.run_example("r1")
        self.run_example("r2")
        imports = self.query("list", "executions", "--type=tfx.dsl.components.common.importer.Importer")
        self.assertEqual([e["last_known_state"] for e in imports], ["CACHED", "COMPLETE"])


if __name__ == "__main__":
    workspace.main()

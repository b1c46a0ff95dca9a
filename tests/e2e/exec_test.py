"""rekindle exec: any command as a step."""

import json
import sqlite3
import subprocess

import workspace

FAILED, USAGE, NOT_FOUND, TRY_AGAIN = 1, 2, 3, 75


class ExecTest(workspace.Workspace):

    def exec(self, *words, node="N", run="r1", **more):
        """`words`: flags and, behind "--", the command."""
        arguments = self.command("exec", pipeline="p", node=node, run_id=run, db=self.db, pipeline_root=self.root,
                                 format="json")
        return subprocess.run(arguments + [str(w) for w in words], capture_output=True, text=True, cwd=self.dir,
                              env={**workspace.ENVIRONMENT, **more.get("environment", {})}, timeout=60)

    def done(self, *words, **more):
        return json.loads(self.ok(self.exec(*words, **more)).stdout)

    def properties(self, execution_id):
        return self.query("get", "execution", execution_id)["custom_properties"]

    def make_data(self, text="1,2\n"):
        return self.done("--output", "data=Table", "--", "sh", "-c",
                         "printf '%s' > {{outputs.data.uri}}/a.csv" % text, node="Gen")

    def test_the_command_finds_its_input_and_its_output_is_published(self):
        self.make_data()
        report = self.done("--input", "data=Table:latest", "--output", "report=Metrics", "--parameter", "rows=3", "--",
                           "sh", "-c", "cat {{inputs.data.uri}}/a.csv > {{ outputs.report.uri }}/out; "
                           "echo {{parameters.rows}} {{run_id}} {{execution_id}} >> %{outputs.report.uri}/out")
        self.assertEqual(report["state"], "COMPLETE")
        output = report["outputs"]["report"]
        self.assertEqual(output["type"], "Metrics")
        with open(output["uri"] + "/out") as file:
            self.assertEqual(file.read(), "1,2\n3 r1 %d\n" % report["execution_id"])
        properties = self.properties(report["execution_id"])
        self.assertEqual(properties["rows"], 3)
        self.assertIn("{{inputs.data.uri}}", json.loads(properties["command"])[2])
        [lineage] = [e for e in self.query("get", "execution", report["execution_id"])["events"] if e["type"] == "INPUT"]
        self.assertEqual(lineage["path"], ["data", 0])

    def test_a_link_into_the_output_leads_there_afterwards(self):
        report = self.done("--output", "o=Text", "--", "sh", "-c",
                           "echo 1 > {{outputs.o.uri}}/x; ln -s {{outputs.o.uri}}/x {{outputs.o.uri}}/latest")
        with open(report["outputs"]["o"]["uri"] + "/latest") as file:
            self.assertEqual(file.read(), "1\n")
        self.ok(self.run_command("metadata", "check", "--full", db=self.db))

    def test_what_never_ends_is_refused_by_name(self):
        refused = self.exec("--output", "o=Text", "--", "sh", "-c", "mkdir {{outputs.o.uri}}/a; mkfifo {{outputs.o.uri}}/a/pipe")
        self.assert_refused(refused, FAILED, "/a/pipe is a named pipe")
        self.assert_recorded("INVALID_OUTPUT")
        self.assertEqual(self.published("N", "o"), [])

    def test_properties_and_all_uris_of_an_input(self):
        self.make_data()
        report = self.done("--input", "data=Table:latest", "--output", "o=Text", "--", "sh", "-c",
                           "echo {{inputs.data.properties.digest}} {{inputs.data.uris}} {{inputs.data.uris.0}} "
                           "{{inputs.data.id}} > {{outputs.o.uri}}/x")
        data = report["inputs"]["data"][0]
        with open(report["outputs"]["o"]["uri"] + "/x") as file:
            self.assertEqual(file.read().split(),
                             [data["custom_properties"]["digest"], data["uri"], data["uri"], str(data["id"])])

    def test_the_environment_and_the_file_say_the_same(self):
        self.make_data()
        report = self.done("--input", "data=Table:latest", "--output", "my-out=Text", "--parameter", "alpha=0.5", "--",
                           "sh", "-c", 'cp "$REKINDLE_STEP_EXECUTOR_INPUT" "$REKINDLE_OUTPUT_MY_OUT_URI/input.json"; '
                           'echo "$REKINDLE_INPUT_DATA_URI $REKINDLE_PARAMETER_ALPHA $REKINDLE_STEP_NODE_ID" '
                           '> "$REKINDLE_OUTPUT_MY_OUT_URI/env"; readlink /proc/self/fd/0 '
                           '> "$REKINDLE_OUTPUT_MY_OUT_URI/stdin"')
        folder = report["outputs"]["my-out"]["uri"]
        with open(folder + "/input.json") as file:
            step = json.load(file)
        [data] = step["inputs"]["data"]
        with open(folder + "/env") as file:
            self.assertEqual(file.read().split(), [data["uri"], "0.5", "N"])
        with open(folder + "/stdin") as file:
            self.assertEqual(file.read(), "/dev/null\n")
        self.assertEqual((step["run_id"], step["parameters"], step["outputs"]["my-out"]["type"]),
                         ("r1", {"alpha": 0.5}, "Text"))

    def test_the_command_may_answer_with_metrics_and_properties(self):
        answer = {"metrics": {"accuracy": 0.1}, "execution_properties": {"library": "x 1.2"},
                  "outputs": {"data": {"properties": {"split_names": '["train"]', "span": 7},
                                       "custom_properties": {"rows": 12, "clean": True}}}}
        report = self.done("--output", "data=Examples", "--", "sh", "-c",
                           "echo '%s' > \"$REKINDLE_STEP_EXECUTOR_OUTPUT\"; touch {{outputs.data.uri}}/x"
                           % json.dumps(answer))
        data = self.query("get", "artifact", report["outputs"]["data"]["id"])
        self.assertEqual(data["properties"], {"split_names": '["train"]', "span": 7})
        self.assertEqual([data["custom_properties"][n] for n in ("accuracy", "rows", "clean")], [0.1, 12, 1])
        self.assertEqual(self.properties(report["execution_id"])["library"], "x 1.2")

    def test_a_value_artifact_is_one_file(self):
        report = self.done("--output", "best=Float", "--", "sh", "-c", "echo 0.5 > {{outputs.best.uri}}")
        uri = report["outputs"]["best"]["uri"]
        self.assertTrue(uri.endswith("/best/%d/value" % report["execution_id"]))
        with open(uri) as file:
            self.assertEqual(file.read(), "0.5\n")

    def test_a_secret_that_the_command_prints_or_fails_with_is_recorded_nowhere(self):
        (self.dir / "token").write_text("hunter2-of-birds\n")
        answer = r'"{\"error\": \"login with $REKINDLE_PARAMETER_TOKEN failed\"}"'
        for script in ("echo $REKINDLE_PARAMETER_TOKEN; exit 3",
                       "echo %s > $REKINDLE_STEP_EXECUTOR_OUTPUT; exit 3" % answer):
            result = self.exec("--secret", "token=@token", "--", "sh", "-c", script)
            self.assertEqual(result.returncode, 1)
            self.assertNotIn("hunter2", result.stdout + result.stderr)
            self.assertIn("***", result.stdout + result.stderr)
        with sqlite3.connect(self.db) as connection:
            self.assertNotIn("hunter2", "".join(connection.iterdump()))
        logs = list(self.root.rglob("log*.txt"))
        self.assertTrue(logs)
        for log in logs:
            self.assertNotIn("hunter2", log.read_text())

    def test_a_secret_reaches_the_command_and_not_the_store(self):
        (self.dir / "token").write_text("s3cr3t\n")
        report = self.done("--secret", "token=@token", "--output", "o=Text", "--", "sh", "-c",
                           "echo $REKINDLE_PARAMETER_TOKEN {{parameters.token}} | wc -w > {{outputs.o.uri}}/n")
        with open(report["outputs"]["o"]["uri"] + "/n") as file:
            self.assertEqual(file.read().strip(), "2")
        self.assertRegex(self.properties(report["execution_id"])["token"], "^sha256:[0-9a-f]{64}$")
        everything = subprocess.run(["grep", "-rl", "s3cr3t", str(self.db), str(self.root)], capture_output=True, text=True)
        self.assertEqual(everything.stdout, "")

    def test_component_names_the_execution_type(self):
        report = self.done("--component", "birds.Count", "--component-version", "7", "--output", "o=Text", "--", "sh", "-c",
                           "touch {{outputs.o.uri}}/x")
        execution = self.query("get", "execution", report["execution_id"])
        self.assertEqual((execution["type"], execution["custom_properties"]["component_version"]), ("birds.Count", "7"))

    def test_the_scripts_content_is_part_of_the_commands_digest(self):
        script = self.dir / "tool.sh"
        digests = []
        for run, text in (("r1", "touch $1/x"), ("r2", "touch $1/x"), ("r3", "touch $1/y")):
            script.write_text(text)
            report = self.done("--output", "o=Text", "--", "sh", "tool.sh", "{{outputs.o.uri}}", run=run)
            digests.append(self.properties(report["execution_id"])["command_digest"])
        self.assertEqual(digests[0], digests[1])
        self.assertNotEqual(digests[1], digests[2])

    def test_state_dir_is_there_for_a_retry(self):
        command = ("--output", "o=Text", "--", "sh", "-c",
                   "if [ -e {{state_dir}}/half ]; then cp {{state_dir}}/half {{outputs.o.uri}}; "
                   "else echo 1 > {{state_dir}}/half; exit 75; fi")
        self.assertEqual(self.exec(*command).returncode, TRY_AGAIN)
        report = self.done(*command)
        self.assertEqual((report["attempt"], report["state"]), (2, "COMPLETE"))

    def test_a_command_that_writes_nothing_is_a_failure(self):
        result = self.exec("--output", "o=Text", "--", "true")
        self.assert_refused(result, FAILED, "output 'o'", "wrote nothing", "{{outputs.o.uri}}")
        self.assert_recorded("NO_OUTPUT")
        self.assertEqual(self.published("N", "o"), [])

    def test_an_exit_code_is_a_failure(self):
        result = self.exec("--output", "o=Text", "--", "sh", "-c", "touch {{outputs.o.uri}}/x; exit 3")
        self.assert_refused(result, FAILED, "exit code 3", "log.txt")
        self.assert_recorded("CHILD_EXIT_CODE")
        self.assertEqual(self.published("N", "o"), [])

    def test_the_commands_own_words_for_its_failure(self):
        result = self.exec("--", "sh", "-c", 'echo \'{"error": "the table is empty"}\' > "$REKINDLE_STEP_EXECUTOR_OUTPUT"; exit 1')
        self.assert_refused(result, FAILED, "the table is empty")
        self.assert_recorded("EXECUTOR_ERROR")

    def test_a_program_that_is_not_there(self):
        result = self.exec("--output", "o=Text", "--", "/no/such/tool")
        self.assert_refused(result, FAILED, "/no/such/tool")
        self.assert_recorded("CHILD_CANNOT_START")

    def test_an_answer_that_cannot_be_understood(self):
        for answer, fragment in (('{"metric": {}}', "unknown key 'metric'"), ("{", "JSON"),
                                 ('{"outputs": {"x": {}}}', "an output 'x'"),
                                 ('{"outputs": {"o": {"properties": {"spam": 1}}}}', "did you mean 'span'"),
                                 ('{"outputs": {"o": {"custom_properties": {"l": [1]}}}}', "'l' is array")):
            with self.subTest(answer=answer):
                result = self.exec("--output", "o=Examples", "--", "sh", "-c",
                                   "touch {{outputs.o.uri}}/x; echo '%s' > $REKINDLE_STEP_EXECUTOR_OUTPUT" % answer)
                self.assert_refused(result, FAILED, fragment)
                self.assert_recorded("INVALID_OUTPUT")

    def test_mistakes_of_usage_are_found_before_anything_runs(self):
        cases = {
            ("--output", "o=Text", "--", "echo", "{{outputs.p.uri}}"): "did you mean {{outputs.o.uri}}",
            ("--output", "o=Text", "--", "echo", "{{outputs.o.uri"): "no '}}'",
            ("--parameter", "alpha=1", "--", "echo", "{{parameters.alhpa}}"): "did you mean {{parameters.alpha}}",
            ("--", "echo", "{{runid}}"): "did you mean {{run_id}}",
            ("--output", "o=Text"): "there is no command",
            ("echo", "hello"): "the command comes behind ' -- '",
            ("--output", "o", "--", "true"): "'o' has no '='",
            ("--output", "o=model", "--", "true"): "did you mean Model",
            ("--output", "o=A", "--output", "o=B", "--", "true"): "output 'o' is given twice",
            ("--input", "data=Examples", "--", "true"): "names no reference",
            ("--input", "data=Examples:newest", "--", "true"): "newest",
            ("--input", "1data=Examples:latest", "--", "true"): "'1data' cannot be a name",
            ("--parameter", "__x=1", "--", "true"): "'__x' cannot be a name",
            ("--parameter", "x=1", "--secret", "x=2", "--", "true"): "parameter 'x' is given twice",
        }
        for words, fragment in cases.items():
            with self.subTest(words=words):
                self.assert_refused(self.exec(*words), USAGE, fragment)
        self.assertFalse(self.db.exists())

    def test_a_missing_secret_file(self):
        self.assert_refused(self.exec("--secret", "t=@none", "--", "true"), NOT_FOUND, "--secret t", "none")

    def test_an_input_that_is_not_there(self):
        result = self.exec("--input", "data=Table:latest", "--output", "o=Text", "--", "true")
        self.assert_refused(result, NOT_FOUND, "input 'data'", "no artifact type 'Table'")
        self.assert_recorded("INPUT_NOT_FOUND")

    def test_a_property_that_the_input_does_not_have(self):
        self.make_data()
        result = self.exec("--input", "data=Table:latest", "--output", "o=Text", "--", "echo",
                           "{{inputs.data.properties.rows}}")
        self.assert_refused(result, FAILED, "has no property 'rows'", "digest")
        self.assert_recorded("INPUT_UNUSABLE")

    def test_help_has_an_example(self):
        self.assertIn("Example: rekindle exec", self.ok(self.run_command("exec", "--help")).stdout)


if __name__ == "__main__":
    workspace.main()

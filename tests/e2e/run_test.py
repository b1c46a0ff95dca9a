"""`rekindle run`: what a person sees of it, and what is left when it goes wrong."""

import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import tempfile
import time

import workspace

HEAD = """apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: w-}
spec:
  entrypoint: main
"""


def running(marker):
    """The processes whose command line has `marker`."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marker in command and "rekindle run" not in command:
            found.append(command)
    return found


class RunTest(workspace.Workspace):

    def workflow(self, text, name="w.yaml"):
        path = self.dir / name
        path.write_text(HEAD + text)
        return path

    def run_workflow(self, text, *flags):
        return self.run_command("run", self.workflow(text), *flags)

    def status(self, text, *flags):
        """Runs it to its end; phase by display name, and the status itself."""
        result = self.run_workflow(text, "-o", "json", *flags)
        self.assertTrue(result.stdout, result.stderr)
        status = json.loads(result.stdout)["status"]
        return {n["displayName"]: n for n in status["nodes"].values()}, status

    def test_parallel_steps_write_the_same_path_and_read_their_own(self):
        nodes, status = self.status("""
  templates:
    - name: main
      steps:
        - - {name: write, template: write, arguments: {parameters: [{name: num, value: "{{item}}"}]}, withSequence: {count: "8"}}
    - name: write
      inputs: {parameters: [{name: num}]}
      container: {image: x, command: [sh, -c, "echo {{inputs.parameters.num}} > /tmp/out; sleep 0.1; mkdir -p /data/x; cp /tmp/out /data/x/n"]}
      outputs: {parameters: [{name: num, valueFrom: {path: /tmp/out}}, {name: m, valueFrom: {path: /data/x/n}}]}
""")
        self.assertEqual(status["phase"], "Succeeded")
        for n in range(8):
            outputs = nodes["write(%d:%d)" % (n, n)]["outputs"]["parameters"]
            self.assertEqual([p["value"] for p in outputs], [str(n), str(n)])
        self.assertFalse(pathlib.Path("/data/x").exists())
        self.assertFalse(pathlib.Path("/tmp/out").exists())

    def test_artifacts_pass_between_steps_as_files_and_folders(self):
        nodes, status = self.status("""
  templates:
    - name: main
      steps:
        - - {name: make, template: make}
        - - {name: use, template: use, arguments: {artifacts: [{name: d, from: "{{steps.make.outputs.artifacts.d}}"}]}}
    - name: make
      container: {image: x, command: [sh, -c, "mkdir -p /tmp/d/e; echo 7 > /tmp/d/e/f"]}
      outputs: {artifacts: [{name: d, path: /tmp/d}]}
    - name: use
      inputs: {artifacts: [{name: d, path: /mnt/given}]}
      container: {image: x, command: [sh, -c, "cp /mnt/given/e/f /tmp/n"]}
      outputs: {parameters: [{name: num, valueFrom: {path: /tmp/n}}]}
""")
        self.assertEqual(status["phase"], "Succeeded", status)
        self.assertEqual(nodes["use"]["outputs"]["parameters"][0]["value"], "7")

    def test_a_claim_template_is_shared_by_the_steps_of_a_run(self):
        _, status = self.status("""
  volumeClaimTemplates: [{metadata: {name: work}, spec: {accessModes: [ReadWriteOnce]}}]
  templates:
    - name: main
      steps: [[{name: a, template: a}], [{name: b, template: b}]]
    - name: a
      container: {image: x, command: [sh, -c, "echo 1 > /mnt/vol/x"], volumeMounts: [{name: work, mountPath: /mnt/vol}]}
    - name: b
      container: {image: x, command: [cat, /mnt/vol/x], volumeMounts: [{name: work, mountPath: /mnt/vol}]}
""")
        self.assertEqual(status["phase"], "Succeeded", status)

    def test_a_syntax_error_has_a_line_and_a_column(self):
        self.assert_refused(self.run_workflow("  templates: [\n  - x: {"), 2, "w.yaml:")

    def test_a_cycle_is_named(self):
        result = self.run_workflow("""
  templates:
    - name: main
      dag: {tasks: [{name: a, template: t, dependencies: [b]}, {name: b, template: t, dependencies: [a]}]}
    - {name: t, container: {image: x, command: ["true"]}}
""")
        self.assert_refused(result, 2, "a", "b")

    def test_an_unknown_template_is_named(self):
        self.assert_refused(self.run_workflow("""
  templates:
    - name: main
      steps: [[{name: a, template: nothing}]]
"""), 2, "nothing")

    def test_a_parameter_without_a_value_says_how_to_give_one(self):
        text = """
  arguments: {parameters: [{name: size}]}
  templates:
    - {name: main, container: {image: x, command: [test, "{{workflow.parameters.size}}", "=", "3"]}}
"""
        self.assert_refused(self.run_workflow(text), 2, "size", "-p size=VALUE")
        self.ok(self.run_workflow(text, "-p", "size=3"))

    def test_an_output_that_was_not_written_is_an_error(self):
        nodes, status = self.status("""
  templates:
    - name: main
      container: {image: x, command: ["true"]}
      outputs: {parameters: [{name: num, valueFrom: {path: /tmp/n}}]}
""")
        self.assertEqual(status["phase"], "Error")
        self.assertIn("wrote no /tmp/n", status["message"])

    def test_a_command_that_does_not_exist_is_named(self):
        _, status = self.status("""
  templates: [{name: main, container: {image: x, command: [no-such-program]}}]
""")
        self.assertEqual(status["phase"], "Failed")
        self.assertIn("no-such-program", status["message"])

    def test_what_only_a_cluster_has_is_refused_by_name(self):
        self.assert_refused(self.run_workflow("""
  templates: [{name: main, http: {url: "http://localhost"}}]
"""), 2, "http")

    def test_a_missing_file_is_not_found(self):
        self.assert_refused(self.run_command("run", self.dir / "none.yaml"), 3, "none.yaml")

    def test_a_disk_that_is_full_is_one_sentence(self):
        path = self.workflow("""
  templates: [{name: main, container: {image: x, command: ["true"]}}]
""")
        result = subprocess.run(
            "ulimit -f 0; exec '%s' run '%s'" % (workspace.BIN / "rekindle", path), shell=True, cwd=self.dir,
            env=workspace.ENVIRONMENT, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("rekindle: ", result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)

    def test_resume_keeps_what_succeeded(self):
        text = """
  templates:
    - name: main
      steps: [[{name: first, template: first}], [{name: second, template: second}]]
    - name: first
      container: {image: x, command: [sh, -c, "echo x >> count; wc -l < count > /tmp/n"]}
      outputs: {parameters: [{name: num, valueFrom: {path: /tmp/n}}]}
    - name: second
      container: {image: x, command: [test, -e, fixed]}
"""
        self.assertEqual(self.run_workflow(text).returncode, 1)
        (run,) = os.listdir(self.dir / ".rekindle" / "runs")
        (self.dir / "fixed").touch()
        result = self.ok(self.run_command("run", "--resume", run, "-o", "json"))
        nodes = json.loads(result.stdout)["status"]["nodes"].values()
        self.assertEqual({n["displayName"]: n["phase"] for n in nodes if n["type"] == "Pod"},
                         {"first": "Succeeded", "second": "Succeeded"})
        self.assertEqual((self.dir / "count").read_text(), "x\n")

    def test_a_run_that_was_killed_goes_on_as_if_its_steps_were_new(self):
        path = self.workflow("""
  arguments: {artifacts: [{name: in, raw: {data: text}}]}
  templates:
    - name: main
      inputs: {artifacts: [{name: in, path: /tmp/in}]}
      volumes: [{name: own, emptyDir: {}}]
      container:
        image: x
        command: [sh, -c, "ls /own >> seen; touch /own/old started; cat /tmp/in; test -e fixed || exec sleep 86403.5"]
        volumeMounts: [{name: own, mountPath: /own}]
""")
        process = subprocess.Popen(self.command("run", path), cwd=self.dir, env=workspace.ENVIRONMENT, stdout=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        while not running("sleep 86403.5") and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.wait()
        (run,) = os.listdir(self.dir / ".rekindle" / "runs")
        (self.dir / "fixed").touch()
        self.ok(self.run_command("run", "--resume", run))
        self.assertEqual((self.dir / "seen").read_text(), "")

    def test_a_run_that_is_resumed_takes_no_other_settings(self):
        result = self.run_command("run", "--resume", "any", "-p", "a=b")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("leave -p and -f out", result.stderr)

    def test_no_processes_at_all_are_refused(self):
        for count in ("0", "-1"):
            result = self.run_workflow(self.TWO_STEPS, "--max-processes=" + count)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("expected a number from 1 on", result.stderr)
            self.assertFalse((self.dir / ".rekindle").exists(), "a run that never was leaves nothing")

    def test_a_folder_that_is_missing_is_not_taken_for_the_program(self):
        shown = self.run_workflow("""
  templates:
    - {name: main, container: {image: x, command: ["true"], workingDir: /no/such/folder}}
""").stdout
        self.assertIn("its working directory /no/such/folder", shown)
        self.assertNotIn("no program", shown)

    def test_templates_in_the_same_file_are_held_to_the_same_rules(self):
        for body, reason in (("container: {image: x, command: [c]}\n      sidecars: [{name: s, image: x}]", "sidecars"),
                             ("suspend: {}", "--resume-suspended")):
            result = self.run_workflow("""
  templates:
    - name: main
      steps: [[{name: a, templateRef: {name: lib, template: t}}]]
---
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: lib}
spec:
  templates:
    - name: t
      %s
""" % body)
            self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
            self.assertIn(reason, result.stderr)

    def test_a_program_and_data_below_tmp_are_found_although_steps_have_a_tmp_of_their_own(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as program, tempfile.TemporaryDirectory(dir="/tmp") as other:
            tree, data = pathlib.Path(program), pathlib.Path(other) / "data"
            (tree / "bin").mkdir()
            shutil.copy2(workspace.BIN / "rekindle", tree / "bin" / "rekindle")
            (tree / "library").touch()
            data.write_text("text")
            path = self.workflow("""
  arguments: {parameters: [{name: data}]}
  templates:
    - name: main
      container: {image: x, command: [sh, -ec, "test -e %s; cp {{workflow.parameters.data}} /tmp/out; ls /tmp > /tmp/seen"]}
      outputs: {parameters: [{name: text, valueFrom: {path: /tmp/out}}, {name: seen, valueFrom: {path: /tmp/seen}}]}
""" % (tree / "library"))
            done = self.ok(subprocess.run([tree / "bin" / "rekindle", "run", path, "-p", "data=%s" % data, "-o", "json"], cwd=self.dir,
                                          env=workspace.ENVIRONMENT, capture_output=True, text=True, timeout=60))
        (node,) = json.loads(done.stdout)["status"]["nodes"].values()
        outputs = {p["name"]: p["value"] for p in node["outputs"]["parameters"]}
        self.assertEqual(outputs["text"], "text")
        self.assertEqual(set(outputs["seen"].split()), {"out", "seen", tree.name, pathlib.Path(other).name, self.dir.name})

    def start_sleeping(self, marker):
        path = self.workflow("""
  templates:
    - name: main
      steps: [[{name: a, template: sleep}, {name: b, template: sleep}]]
    - name: sleep
      container: {image: x, command: [sh, -c, "(setsid sleep %s &) ; touch started; sleep %s"]}
""" % (marker, marker))
        process = subprocess.Popen(self.command("run", path), cwd=self.dir, env=workspace.ENVIRONMENT, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while len(running(marker)) < 4 and process.poll() is None:
            time.sleep(0.01)
        return process

    def test_control_c_stops_the_steps_and_leaves_no_process(self):
        process = self.start_sleeping("86401.5")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("Stopped with strategy 'Stop'", out)
        self.assertEqual(running("86401.5"), [])

    def test_nothing_outlives_a_runner_that_was_killed(self):
        process = self.start_sleeping("86402.5")
        process.kill()
        process.communicate(timeout=60)
        deadline = time.monotonic() + 30
        while running("86402.5") and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(running("86402.5"), [])

    def test_without_views_steps_take_turns_at_a_path(self):
        nodes, status = self.status("""
  templates:
    - name: main
      steps:
        - - {name: write, template: write, arguments: {parameters: [{name: num, value: "{{item}}"}]}, withSequence: {count: "4"}}
    - name: write
      inputs: {parameters: [{name: num}]}
      container: {image: x, command: [sh, -c, "echo {{inputs.parameters.num}} > %(path)s; sleep 0.1"]}
      outputs: {parameters: [{name: num, valueFrom: {path: "%(path)s"}}]}
""" % {"path": self.dir / "out"}, "--isolation", "none")
        self.assertEqual(status["phase"], "Succeeded", status)
        values = [nodes["write(%d:%d)" % (n, n)]["outputs"]["parameters"][0]["value"] for n in range(4)]
        self.assertEqual(values, ["0", "1", "2", "3"])

    TWO_STEPS = """
  templates:
    - name: main
      dag: {tasks: [{name: a, template: t}, {name: b, template: fails, dependencies: [a]}]}
    - {name: t, retryStrategy: {limit: 1}, container: {image: x, command: ["true"]}}
    - {name: fails, container: {image: x, command: ["false"]}}
"""

    def test_without_a_terminal_each_step_is_a_line_and_the_tree_comes_last(self):
        shown = self.run_workflow(self.TWO_STEPS).stdout
        lines, tree = shown.split("\n\n")[:2]
        self.assertRegex(lines, r"^● w-\w+\.a\(0\)  Running\n"
                                r"✔ w-\w+\.a\(0\)  Succeeded  \d+m?s\n"
                                r"● w-\w+\.b  Running\n"
                                r"✖ w-\w+\.b  Failed  \d+m?s  main: Error \(exit code 1\)$")
        self.assertRegex(tree, r"^w-\w+  Failed  \d+m?s  2/2 done\n"
                               r"STEP +TEMPLATE +DURATION +MESSAGE\n"
                               r"✖ w-\w+ +main +\d+m?s\n"
                               r"├─✔ a +t +\d+m?s\n"
                               r"└─✖ b +fails +\d+m?s +main: Error \(exit code 1\)$")

    def test_on_a_terminal_the_tree_is_drawn_over_itself(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = subprocess.Popen(self.command("run", self.workflow(self.TWO_STEPS)), cwd=self.dir,
                                   env={**workspace.ENVIRONMENT, "NO_COLOR": "1"}, stdout=theirs)
        os.close(theirs)
        self.addCleanup(process.kill)
        self.assertEqual(process.wait(60), 1)
        shown = os.read(ours, 1 << 16).decode().replace("\r", "")
        self.assertRegex(shown, r"\033\[\d+F\033\[Jw-\w+  Failed")
        self.assertRegex(shown, r"├─✔ a +t +\d+m?s\n")
        self.assertNotIn("\033[3", shown)

    def test_a_dry_run_shows_the_plan_and_runs_nothing(self):
        result = self.ok(self.run_workflow("""
  templates:
    - name: main
      dag: {tasks: [{name: a, template: t}, {name: b, template: t, dependencies: [a]}]}
    - {name: t, container: {image: x, command: [touch, ran]}}
""", "--dry-run"))
        self.assertIn("b: t (container) after a", result.stdout)
        self.assertFalse((self.dir / "ran").exists())


if __name__ == "__main__":
    workspace.main()

"""Attacks on what reads files of others: workflows, what their steps leave behind, and data."""

import gzip
import json
import os
import signal
import subprocess
import threading

import attack_case
import workspace

HEAD = """apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: w-}
spec:
  entrypoint: main
"""
USAGE, CONFLICT = 2, 4
TIMEOUT = 60  # long beyond what any of these takes; a hang ends here


class FilesTest(workspace.Workspace):

    def attacked(self, *words, prefix=()):
        """Runs a command that must end by itself, within the limit of memory: exit code, stdout, stderr."""
        out, err = self.dir / "stdout", self.dir / "stderr"
        with open(out, "w") as stdout, open(err, "w") as stderr:
            process = subprocess.Popen([*prefix, *self.command(*words)], cwd=self.dir, env=workspace.ENVIRONMENT, stdout=stdout,
                                       stderr=stderr, stdin=subprocess.DEVNULL)
            timer = threading.Timer(TIMEOUT, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertNotEqual(process.returncode, -signal.SIGKILL, "it does not end")
        text = err.read_text(errors="replace")
        self.assertGreaterEqual(process.returncode, 0, text[-2000:])
        self.assertLess(usage.ru_maxrss / 1024, attack_case.MEMORY_MB)
        return process.returncode, out.read_text(errors="replace"), text

    def file(self, text, name="w.yaml"):
        path = self.dir / name
        path.write_text(text)
        return path

    def run_steps(self, text, *flags, prefix=()):
        """Runs a workflow to its end; its nodes by display name."""
        _, out, err = self.attacked("run", self.file(HEAD + text), "-o", "json", *flags, prefix=prefix)
        self.assertTrue(out, err)
        return {node["displayName"]: node for node in json.loads(out)["status"]["nodes"].values()}

    def only_step(self, text, *flags, prefix=()):
        (node,) = self.run_steps(text, *flags, prefix=prefix).values()
        return node

    def assert_error(self, node, reason):
        self.assertEqual(node["phase"], "Error", node)
        self.assertIn(reason, node["message"])

    def assert_usage(self, ended, reason):
        code, _, err = ended
        self.assertEqual(code, USAGE, err[-2000:])
        self.assertIn(reason, err)


class YamlTest(FilesTest):

    def assert_refused_by_all(self, text, reason):
        path, good = self.file(text), self.file(HEAD, "good.yaml")
        for words in (("run", path), ("lint", path), ("run", good, "-f", path)):
            code, out, err = self.attacked(*words)
            self.assertIn(code, (1, USAGE), err[-2000:])
            self.assertIn(reason, out + err)

    def test_aliases_of_aliases(self):
        text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for i in range(1, 12):
            text += "a%d: &a%d [%s]\n" % (i, i, ", ".join(["*a%d" % (i - 1)] * 10))
        self.assert_refused_by_all(text, "too large once its aliases are expanded")

    def test_aliases_of_a_long_text(self):
        self.assert_refused_by_all("a: &a %s\nb: [%s]\n" % ("x" * 100000, ", ".join(["*a"] * 10000)), "too large")

    def test_anchors_in_anchors(self):
        deep = "".join("&a%d [" % i for i in range(90)) + "1, " * 60000 + "]" * 90
        self.assert_refused_by_all(deep, "too large")
        self.assert_refused_by_all("".join("&a%d [" % i for i in range(40000)) + "]" * 40000, "nested over 100 deep")

    def test_aliases_that_nest(self):
        text = "".join("a%d: &a%d %s%s%s\n" % (i, i, "[" * 90, "*a%d" % (i - 1) if i else "1", "]" * 90) for i in range(500))
        self.assert_refused_by_all(text, "nested over 100 deep")

    def labelled(self, count):
        labels = "".join("    k%d: v\n" % i for i in range(count))
        return HEAD.replace("{generateName: w-}", "\n  generateName: w-\n  labels:\n" + labels)

    def test_a_map_of_many_keys(self):
        self.assert_refused_by_all(self.labelled(150000), "too large")

    def test_the_largest_map_that_is_read(self):
        text = self.labelled(90000) + "  templates: [{name: main, container: {image: x, command: ['true']}}]\n"
        code, _, err = self.attacked("run", self.file(text))
        self.assertEqual(code, 0, err[-2000:])

    def test_templates_inside_templates(self):
        text, indent = HEAD + "  templates:\n  - name: main\n", "    "
        for _ in range(15):
            text += "%ssteps:\n%s- - name: s\n%s    inline:\n" % (indent, indent, indent)
            indent += "      "
        text += "%scontainer: {image: x, command: [c]}\n%sannotations:\n" % (indent, indent)
        text += "".join("%s  k%d: v\n" % (indent, i) for i in range(20000))
        self.attacked("lint", self.file(text))

    def test_brackets(self):
        for text in ("[" * 4000000, "{" * 300000, "- [" * 100000, "[1," * 1000000):
            self.assert_refused_by_all(text, "w.yaml:")

    def test_a_comma_that_begins_a_document(self):
        self.assert_refused_by_all(", ", "a value cannot begin here")

    def test_a_file_without_end(self):
        os.mkfifo(self.dir / "pipe")
        good = self.file(HEAD)
        for path, kind in (("/dev/zero", "a device"), ("pipe", "a named pipe")):
            for words in (("run", path), ("lint", path), ("run", good, "--template", path), ("run", good, "-f", path)):
                code, _, err = self.attacked(*words)
                self.assertNotEqual(code, 0)
                self.assertIn("is %s; a regular file is expected" % kind, err)


class StepsTest(FilesTest):

    def test_a_step_that_cannot_be_prepared_after_the_others(self):
        nodes = self.run_steps("""
  volumes: [{name: v, emptyDir: {}}]
  templates:
    - name: main
      dag: {tasks: [{name: a, template: a}, {name: b, template: b}]}
    - {name: a, container: {image: x, command: [sleep, "0.2"]}}
    - name: b
      container: {image: x, command: ["true"], volumeMounts: [{name: v, mountPath: /mnt/nosuch}]}
""", "--isolation=none", "--max-processes=1")
        self.assertEqual(nodes["a"]["phase"], "Succeeded")
        self.assert_error(nodes["b"], "needs a view of the file system of its own")

    def test_a_view_that_is_refused(self):
        # A mount namespace cannot be mounted inside of itself.
        self.assert_error(self.only_step("""
  volumes: [{name: v, hostPath: {path: /proc/self/ns/mnt}}]
  templates:
    - name: main
      container: {image: x, command: ["true"], volumeMounts: [{name: v, mountPath: /mnt/ns}]}
"""), "needs a view of the file system of its own")

    def test_a_volume_whose_restrictions_are_locked(self):
        (self.dir / "volume").mkdir()
        script = "mount -t tmpfs -o nosuid,nodev,noexec none '%s' && exec unshare -Urm \"$@\"" % (self.dir / "volume")
        node = self.only_step("""
  volumes: [{name: v, hostPath: {path: %s}}]
  templates:
    - name: main
      container: {image: x, command: [ls, /mnt/v], volumeMounts: [{name: v, mountPath: /mnt/v, readOnly: true}]}
""" % (self.dir / "volume"), "--isolation=required", prefix=("unshare", "-Urm", "sh", "-c", script, "sh"))
        self.assertEqual(node["phase"], "Succeeded", node)

    def test_outputs_that_are_no_files(self):
        parameter, artifact = "{parameters: [{name: p, valueFrom: {path: %s}}]}", "{artifacts: [{name: a, path: %s}]}"
        for command, output, reason in (
                ("mkfifo /tmp/out", parameter % "/tmp/out", "is a named pipe"),
                ("ln -s /dev/zero /tmp/out", parameter % "/tmp/out", "is a device"),
                ("head -c 2000000 /dev/zero > /tmp/out", parameter % "/tmp/out", "has over 1048576 bytes"),
                ("mkfifo /tmp/out", artifact % "/tmp/out", "is a named pipe"),
                ("mkdir /tmp/out && mkfifo /tmp/out/pipe", artifact % "/tmp/out", "is a named pipe")):
            self.assert_error(self.only_step("""
  templates:
    - name: main
      container: {image: x, command: [sh, -c, "%s"]}
      outputs: %s
""" % (command, output)), reason)

    def test_reports_that_are_pipes(self):
        node = self.only_step("""
  templates:
    - name: main
      activeDeadlineSeconds: 2
      container: {image: x, command: [sh, -c, "mkfifo $ARGO_PROGRESS_FILE $REKINDLE_TERMINATION_LOG; sleep 60"]}
""", "--grace=1s")
        self.assertEqual(node["phase"], "Failed")

    def test_a_result_and_a_log_without_end(self):
        nodes = self.run_steps("""
  templates:
    - name: main
      steps:
        - - {name: a, template: endless, continueOn: {failed: true}}
        - - {name: b, template: shown, arguments: {parameters: [{name: r, value: "{{steps.a.outputs.result}}"}]}}
    - name: endless
      activeDeadlineSeconds: 1
      script: {image: x, command: [sh], source: "exec yes"}
    - {name: shown, inputs: {parameters: [{name: r}]}, container: {image: x, command: ["true"]}}
""", "--grace=1s", "--max-log-bytes=100000")
        self.assertEqual(nodes["a"]["phase"], "Failed")
        (log,) = (self.dir / ".rekindle" / "runs").glob("*/logs/*endless*.log")
        self.assertLess(log.stat().st_size, 100000)
        self.assertRegex(log.read_text(), r"^rekindle: the first \d+ bytes of this log were dropped; at most 100000 are kept")

    def test_a_log_of_one_long_line(self):
        code, _, err = self.attacked("run", self.file(HEAD + """
  templates:
    - name: main
      container: {image: x, command: [sh, -c, "head -c 300000000 /dev/zero | tr '\\\\0' x; exit 3"]}
"""), "--max-log-bytes=400000000")
        self.assertEqual(code, 1)
        self.assertIn("xxx", err)
        self.assertLess(len(err), 100000)

    def test_a_nul_byte(self):
        self.assert_error(self.only_step(r"""
  templates: [{name: main, container: {image: x, command: [echo], args: ["a\0b", c]}}]
"""), "NUL byte")

    def test_items_nested_without_end(self):
        nodes = self.run_steps("""
  templates:
    - name: main
      steps:
        - - {name: a, template: deep}
        - - {name: b, template: use, withParam: "{{steps.a.outputs.parameters.p}}"}
    - name: deep
      container:
        image: x
        command: [sh, -c, "for c in '[' ']'; do head -c 500000 /dev/zero | tr '\\\\0' $c; done > /tmp/p"]
      outputs: {parameters: [{name: p, valueFrom: {path: /tmp/p}}]}
    - {name: use, container: {image: x, command: ["true"]}}
""")
        self.assertEqual(nodes["a"]["phase"], "Succeeded")
        self.assertTrue(any("nested over 100 deep" in node.get("message", "") for node in nodes.values()))


class EscapesTest(FilesTest):

    STEP = "  templates: [{name: main, container: {image: x, command: [touch, ran]}}]\n"

    def assert_nothing_written(self):
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["stderr", "stdout", "w.yaml"])

    def test_the_name_of_a_workflow(self):
        for name in ("../..", "../../escaped", "a/b", "/tmp/x", "..", "A"):
            for field in ("name", "generateName"):
                path = self.file(HEAD.replace("generateName: w-", "%s: %s" % (field, json.dumps(name))) + self.STEP)
                self.assert_usage(self.attacked("run", path), "must have only small letters")
            self.assert_usage(self.attacked("run", self.file(HEAD + self.STEP), "--name", name), "must have only small letters")
        self.assert_nothing_written()

    def mounting(self, volume, mount):
        return """
  volumes: [{name: v, persistentVolumeClaim: {claimName: %s}}]
  templates:
    - name: main
      container: {image: x, command: [touch, ran], volumeMounts: [{name: v, mountPath: /mnt/v%s}]}
""" % (volume, mount)

    def test_names_and_paths_of_volumes(self):
        for claim, mount, reason in (("../../escaped", "", "the claimName '../../escaped' must have only"),
                                     ("c", ", subPath: ../../escaped", "must not contain '..'"),
                                     ("c", ", subPath: /etc", "must be relative")):
            self.assert_usage(self.attacked("run", self.file(HEAD + self.mounting(claim, mount))), reason)
        self.assert_nothing_written()

    def test_names_that_come_of_tags(self):
        arguments, tag = "  arguments: {parameters: [{name: p}]}", "'{{workflow.parameters.p}}'"
        for claim, mount in ((tag, ""), ("c", ", subPath: " + tag)):
            node = self.only_step(arguments + self.mounting(claim, mount), "-p", "p=../../../escaped")
            self.assert_error(node, "'../../../escaped'")
        self.assertFalse((self.dir / "ran").exists())

    def test_a_sub_path_through_a_link_of_another_step(self):
        secret = self.dir / "secret"
        secret.mkdir()
        nodes = self.run_steps("""
  volumeClaimTemplates: [{metadata: {name: work}, spec: {accessModes: [ReadWriteOnce]}}]
  templates:
    - name: main
      steps: [[{name: a, template: a}], [{name: b, template: b}]]
    - name: a
      container: {image: x, command: [ln, -s, %s, /mnt/vol/link], volumeMounts: [{name: work, mountPath: /mnt/vol}]}
    - name: b
      container: {image: x, command: [touch, /mnt/sub/written], volumeMounts: [{name: work, mountPath: /mnt/sub, subPath: link}]}
""" % secret)
        self.assertEqual(nodes["a"]["phase"], "Succeeded", nodes["a"])
        self.assert_error(nodes["b"], "leads out of")
        self.assertEqual(os.listdir(secret), [])

    def test_a_part_of_an_artifact(self):
        for sub_path, reason in (("../../../../../../etc/passwd", "must not contain"), ("/etc", "must be relative"),
                                 ("link/passwd", "leads out of")):
            nodes = self.run_steps("""
  templates:
    - name: main
      steps:
        - - {name: make, template: make}
        - - {name: use, template: use, arguments: {artifacts: [{name: d, from: "{{steps.make.outputs.artifacts.d}}", subPath: %s}]}}
    - name: make
      container: {image: x, command: [sh, -c, "mkdir /tmp/d; ln -s /etc /tmp/d/link"]}
      outputs: {artifacts: [{name: d, path: /tmp/d}]}
    - name: use
      inputs: {artifacts: [{name: d, path: /tmp/given}]}
      container: {image: x, command: [cat, /tmp/given]}
""" % sub_path)
            self.assert_error(nodes["use"], reason)

    def test_a_template_of_another_file(self):
        library = self.file("""apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: lib}
spec:
  templates: [{name: ../../../../escaped, container: {image: x, command: [echo, hi]}}]
""", "lib.yaml")
        nodes = self.run_steps("""
  templates:
    - name: main
      steps: [[{name: a, templateRef: {name: lib, template: ../../../../escaped}}]]
""", "--template", library)
        self.assert_error(nodes["a"], "which is no name")
        self.assertEqual(list(self.dir.rglob("*escaped*")), [])

    def test_a_run_that_is_under_way(self):
        path = self.file(HEAD + "  templates: [{name: main, container: {image: x, command: [sh, -c, 'touch started; sleep 60']}}]\n")
        process = subprocess.Popen(self.command("run", path), cwd=self.dir, env=workspace.ENVIRONMENT, stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_until((self.dir / "started").exists)
        (run,) = os.listdir(self.dir / ".rekindle" / "runs")
        code, _, err = self.attacked("run", "--resume", run)
        self.assertEqual(code, CONFLICT, err)
        self.assertIn("process %d runs it" % process.pid, err)


class DataTest(FilesTest):

    def assert_csv_refused(self, name, chunks, reason):
        """example-gen of a file made of (bytes, how often)."""
        path = self.dir / name
        with (gzip.open(path, "wb", 1) if name.endswith(".gz") else open(path, "wb")) as file:
            for chunk, times in chunks:
                for _ in range(times):
                    file.write(chunk)
        code, _, err = self.attacked("example-gen", "--pipeline=p", "--db=%s" % self.db, "--pipeline-root=%s" % self.root,
                                     "--input=%s" % path)
        self.assertEqual(code, 1, err)
        self.assertIn(reason, err)

    def test_a_quote_that_is_never_closed(self):
        for name in ("a.csv", "a.csv.gz"):
            self.assert_csv_refused(name, [(b'a,b\n1,"', 1), (b"x" * 1000000, 200)],
                                    "this row has over 33554432 bytes; is a quote not closed?")

    def test_a_quote_that_ends_with_the_file(self):
        self.assert_csv_refused("a.csv", [(b'a,b\n1,"', 1), (b"x" * 1000000, 10)], "a quoted field does not end; close the quote")

    def test_quotes_in_quotes(self):
        self.assert_csv_refused("a.csv", [(b'a,b\n1,"', 1), (b'""' * 500000, 10), (b'"x\n', 1)], "text follows a closing quote")

    def test_columns_without_end(self):
        self.assert_csv_refused("a.csv", [(b",".join(b"c%d" % i for i in range(200000)), 1)], "this row has over 100000 fields")


if __name__ == "__main__":
    attack_case.main()

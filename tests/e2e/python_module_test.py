"""Users' Python module files through `rekindle train`: examples, FnArgs, and what can be wrong with a module.

Runs in the environment that has TensorFlow: its own interpreter is the modules' one.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

import workspace

OK, FAILED, USAGE, TRY_AGAIN, TERMINATED = 0, 1, 2, 75, 143
EXAMPLES = workspace.REPO / "examples" / "python_module"
PENGUINS = 344  # rows of examples/penguin/penguins.csv
GOLDEN = workspace.REPO / "tests" / "golden" / "tfx-1.21-simple" / "fn_args_dump.json"

# A module that trains nothing, quickly: it imports no TensorFlow, and its model is not tried.
DUMP = """
    import dataclasses, json, os
    import helper

    def run_fn(fn_args):
        os.makedirs(fn_args.serving_model_dir)
        values = {field.name: getattr(fn_args, field.name) for field in dataclasses.fields(fn_args)}
        values["data_accessor"] = str(fn_args.data_accessor)
        values["num_examples"] = getattr(fn_args, "num_examples", "not set")
        with open(os.path.join(fn_args.serving_model_dir, "fn_args.json"), "w") as file:
            json.dump(values, file)
        print(helper.GREETING, flush=True)
"""


class ModuleWorkspace(workspace.Workspace):

    def write(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def words(self, module, run, **flags):
        return self.command("train", **{
            "pipeline": "penguin", "db": self.db, "pipeline_root": self.root, "run_id": run, "module_file": module,
            "python": sys.executable, "base_model": "none", "train_steps": 20, "output": "json", **flags})

    def run_module(self, module, run, environment=None, **flags):
        return subprocess.run(self.words(module, run, **flags), capture_output=True, text=True, cwd=self.dir,
                              env={**workspace.ENVIRONMENT, "TF_CPP_MIN_LOG_LEVEL": "2", **(environment or {})},
                              timeout=400)

    def trained(self, module, run, **flags):
        """The report of a run that must succeed, and what it printed."""
        result = self.ok(self.run_module(module, run, **flags))
        return json.loads(result.stdout), result.stderr


class ExamplesTest(ModuleWorkspace):

    def setUp(self):
        super().setUp()
        self.prepare()

    def model(self, report):
        return pathlib.Path(report["outputs"]["model"]["uri"]) / "Format-Serving"

    def answers(self, report):
        """What the model says of all serialized examples for evaluation, and what these are."""
        import tensorflow as tf  # pylint: disable=import-outside-toplevel

        [file] = self.root.glob("CsvExampleGen/examples/*/Split-eval/*")
        records = list(tf.data.TFRecordDataset(str(file), "GZIP").as_numpy_iterator())
        signature = tf.saved_model.load(str(self.model(report))).signatures["serving_default"]
        features = [tf.train.Example.FromString(record).features.feature for record in records]
        return signature(examples=tf.constant(records)), features

    def cold_and_warm(self, module, **flags):
        """A model from nothing, and one that goes on from it for a single step."""
        cold, log = self.trained(module, module.stem + "-cold", **flags)
        self.assertNotIn("Warm start", log)
        base = cold["outputs"]["model"]["id"]
        warm, log = self.trained(module, module.stem + "-warm", **{**flags, "base_model": "id:%d" % base,
                                                                   "train_steps": 1})
        self.assertIn("Warm start from %s" % self.model(cold), log)
        self.assertEqual([artifact["id"] for artifact in warm["inputs"]["base_model"]], [base])
        self.assertEqual(warm["outputs"]["model"]["custom_properties"]["train_complete"], 1)
        return cold, warm

    def test_the_penguin_module(self):
        cold, warm = self.cold_and_warm(
            EXAMPLES / "penguin_keras" / "penguin_module.py", train_steps=150, custom_config='{"hidden_units": [12]}')
        for report in (cold, warm):
            answer, examples = self.answers(report)
            right = sum(said == example["species"].bytes_list.value[0]
                        for said, example in zip(answer["species"].numpy(), examples))
            self.assertGreater(right / len(examples), 0.9)
        run = pathlib.Path(cold["outputs"]["model_run"]["uri"])
        self.assertTrue(list(run.glob("train/events.out.tfevents.*")), "TensorBoard's files are the module's")
        properties = cold["execution_properties"]
        self.assertTrue(properties["tensorflow_version"].startswith("2."))
        self.assertEqual(properties["python_version"], "%d.%d.%d" % sys.version_info[:3])

    def test_the_module_with_its_own_loop(self):
        cold, warm = self.cold_and_warm(EXAMPLES / "custom_loop" / "loop_module.py", train_steps=200)
        for report in (cold, warm):
            answer, examples = self.answers(report)
            errors = [abs(said[0] - example["body_mass_g"].int64_list.value[0])
                      for said, example in zip(answer["body_mass_g"].numpy(), examples)
                      if example["body_mass_g"].int64_list.value]
            self.assertLess(sum(errors) / len(errors), 450, "grams, on average")

    def test_the_mirrored_module(self):
        cold, warm = self.cold_and_warm(EXAMPLES / "mirrored" / "mirrored_module.py", train_steps=150,
                                        custom_config='{"virtual_cpus": 2}')
        for report in (cold, warm):
            answer, examples = self.answers(report)
            right = [(said[0] > 0.5) == (example["sex"].bytes_list.value[0] == b"male")
                     for said, example in zip(answer["male"].numpy(), examples) if example["sex"].bytes_list.value]
            self.assertGreater(sum(right) / len(right), 0.8)

    def test_a_model_that_cannot_be_served_is_not_published(self):
        module = self.write("nan_module.py", """
            import tensorflow as tf

            class Model(tf.Module):
                @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
                def serve(self, examples):
                    return {"y": tf.fill(tf.shape(examples), float("nan"))}

            def run_fn(fn_args):
                model = Model()
                tf.saved_model.save(model, fn_args.serving_model_dir, signatures={"serving_default": model.serve})
            """)
        result = self.run_module(module, "nan")
        self.assertEqual(result.returncode, FAILED, result.stderr)
        self.assertIn("output 'y' is not finite", result.stderr.splitlines()[-1])
        self.assert_recorded("INVALID_OUTPUT")
        self.assertEqual(self.published("Trainer", "model"), [])
        self.ok(self.run_module(module, "untried", skip_validation="true"))


class FnArgsTest(ModuleWorkspace):

    def setUp(self):
        super().setUp()
        self.prepare()
        self.module = self.write("mine/dump_module.py", DUMP)
        self.write("mine/helper.py", "GREETING = 'hello'\n")

    def dumped(self, run, **flags):
        report, log = self.trained(self.module, run, skip_validation="true", **flags)
        self.assertIn("hello", log, "a sibling was imported")
        return json.loads((pathlib.Path(report["outputs"]["model"]["uri"]) / "Format-Serving/fn_args.json").read_text())

    def test_they_are_what_tfx_gives(self):
        golden = json.loads(GOLDEN.read_text())
        ours = self.dumped("r2", schema="none", train_steps=golden["train_steps"], eval_steps=golden["eval_steps"],
                           custom_config=json.dumps(golden["custom_config"]))
        self.assertEqual(ours.pop("num_examples"), "not set")
        self.assertEqual(list(ours), list(golden))
        fields = ("DataAccessor(tf_dataset_factory=<function", ", record_batch_factory=<function",
                  ", data_view_decode_fn=None)")
        for values in (ours, golden):
            accessor = values.pop("data_accessor")
            for field in fields:
                self.assertIn(field, accessor)
            for key in ("serving_model_dir", "eval_model_dir"):
                values[key] = pathlib.Path(values[key]).name
            self.assertTrue(os.path.isabs(values.pop("model_run_dir")))
            for key in ("train_files", "eval_files"):
                values[key] = [pattern[pattern.index("/CsvExampleGen/"):] for pattern in values[key]]
        self.assertEqual(ours, golden)

    def test_every_input_has_its_place_and_its_old_name(self):
        self.write("hyper/best.json", '{"values": {"learning_rate": 0.5}}')
        self.write("graph/transform_fn/x", "")
        self.report("import", run_id="h", node="Hyper", type="HyperParameters", uri=self.dir / "hyper")
        self.report("import", run_id="g", node="Graph", type="TransformGraph", uri=self.dir / "graph")
        self.report("statistics-gen", run_id="r1")
        values = self.dumped("r2", hyperparameters="latest", transform_graph="latest", statistics="latest")
        self.assertEqual(sorted(values["num_examples"]), ["eval", "train"])
        self.assertEqual(sum(values["num_examples"].values()), PENGUINS)
        self.assertEqual(values["hyperparameters"], {"values": {"learning_rate": 0.5}})
        self.assertEqual(values["transform_graph_path"], str(self.dir / "graph"))
        self.assertEqual(values["transform_output"], values["transform_graph_path"])
        self.assertTrue(values["schema_path"].endswith("/schema.pbtxt"))
        self.assertEqual(values["schema_file"], values["schema_path"])
        self.assertIsNone(values["eval_steps"])

    def test_a_model_is_cached_until_the_code_changes(self):
        first = self.dumped("r2")
        again = self.trained(self.module, "r3", skip_validation="true")[0]
        self.assertEqual(again["state"], "CACHED")
        self.write("mine/helper.py", "GREETING = 'hello again'\n")
        self.assertNotEqual(self.dumped("r4")["serving_model_dir"], first["serving_model_dir"])


class BadModuleTest(ModuleWorkspace):

    def refused(self, module, reason, *fragments, exit_code=FAILED, traceback=False, **flags):
        """One sentence in the end, the reason in the store, and no model; a user's own traceback above it."""
        run = "r%d" % self.rows("Execution")
        result = self.run_module(module, run, **flags)
        self.assertEqual(result.returncode, exit_code, result.stdout + result.stderr)
        last = result.stderr.strip().splitlines()[-1]
        for fragment in fragments:
            self.assertIn(str(fragment), last)
        self.assertTrue(last.endswith("[%s]" % reason), last)
        self.assertEqual("Traceback" in result.stderr, traceback, result.stderr)
        self.assert_recorded(reason)
        self.assertEqual(self.published("Trainer", "model"), [])
        return result

    def test_what_can_be_wrong_with_a_module(self):
        self.prepare()
        cases = (
            ("x = 1", "MODULE_UNUSABLE",
             ["module.py has no run_fn and no trainer_fn", "must define run_fn(fn_args)"], {}),
            ("def run_fm(fn_args): pass", "MODULE_UNUSABLE", ["but 'run_fm'"], {}),
            ("def run_fn(fn_args):\n  return 1 +", "MODULE_UNUSABLE", ["module.py:2: SyntaxError"], {}),
            ("raise ValueError('at once')", "MODULE_UNUSABLE",
             ["while module.py was loaded: ValueError: at once (module.py:1"], {"traceback": True}),
            ("def run_fn(a):\n  raise ValueError('no\\nluck')", "MODULE_RAISED",
             ["ValueError: no luck (module.py:2, in run_fn)"], {"traceback": True}),
            ("def run_fn(a): raise MemoryError()", "OUT_OF_MEMORY", ["MemoryError"],
             {"traceback": True, "exit_code": TRY_AGAIN}),
            ("def run_fn(a): pass", "NO_OUTPUT", ["module.py ended well, but wrote no model into"], {}),
            ("import sys\ndef run_fn(a): sys.exit()", "NO_OUTPUT", ["wrote no model"], {}),
            ("import sys\ndef run_fn(a): sys.exit(3)", "CHILD_EXIT_CODE", ["sys.exit(3) while it trained"], {}),
            ("import sys\ndef run_fn(a): sys.exit(75)", "CHILD_EXIT_CODE", ["sys.exit(75)"], {"exit_code": TRY_AGAIN}),
            ("import sys\nsys.exit(0)", "CHILD_EXIT_CODE", ["sys.exit(0) while it was loaded"], {}),
            ("import os\ndef run_fn(a): os._exit(9)", "CHILD_EXIT_CODE", ["exit code 9"], {}),
            ("import os\ndef run_fn(a): os.makedirs(a.serving_model_dir)", "INVALID_OUTPUT",
             ["holds no saved_model.pb", "--skip-validation"], {}),
            ("import keras_tuner_of_mine", "PACKAGE_MISSING",
             ["'keras_tuner_of_mine' is missing in", "-m pip install keras-tuner-of-mine"], {"traceback": True}),
            ("from tfx import orchestration", "PACKAGE_MISSING",
             ["cannot import name 'orchestration'", "-m pip install tfx"], {"traceback": True}),
            ("import tfx.orchestration", "PACKAGE_MISSING",
             ["No module named 'tfx.orchestration'", "-m pip install tfx"], {"traceback": True}),
        )
        for text, reason, fragments, expected in cases:
            with self.subTest(text):
                self.refused(self.write("module.py", text), reason, *fragments, **expected)

    def test_an_interpreter_that_is_none_or_has_no_tensorflow(self):
        self.prepare()
        module = self.write("module.py", "import tensorflow\ndef run_fn(a): pass")
        self.refused(module, "CHILD_CANNOT_START", "/no/python", "--python or REKINDLE_PYTHON",
                     "use the image rekindle:trainer-python", python="/no/python")
        bare = pathlib.Path(self.dir / "bare")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
        self.refused(module, "PACKAGE_MISSING", "'tensorflow' is missing in",
                     "bare/bin/python -m pip install tensorflow", traceback=True, python=bare / "bin" / "python")

    def test_without_what_runs_modules_it_names_the_image_that_has_it(self):
        module = self.write("module.py", "def run_fn(a): pass")
        result = self.run_module(module, "r1", environment={"REKINDLE_PYTHON_LIB": "/no/library"})
        self.assert_refused(result, FAILED, "there is no /no/library/run_module.py", "REKINDLE_PYTHON_LIB names its folder",
                            "in a container, use the image rekindle:trainer-python")
        self.assertEqual(self.rows("Execution"), 0)

    def test_flags_that_do_not_go_together(self):
        module = self.write("module.py", "def run_fn(a): pass")
        for flags, words in (({"custom_config": "[1]"}, "--custom-config: '[1]' is not a JSON object"),
                             ({"workers": 2}, "--workers is for rekindle-trainer"),
                             ({"executor": "keras"}, "--executor is 'keras'"),
                             ({"trainer": "/bin/true"}, "--python names what runs the module"),
                             ({"module_file": self.dir / "none.py"}, "there is no")):
            result = self.run_module(module, "r1", **flags)
            self.assertEqual(result.returncode, USAGE, result.stderr)
            self.assertIn(words, result.stderr)
        self.assertEqual(self.rows("Execution"), 0)

    def test_two_files_of_hyperparameters(self):
        self.prepare()
        self.write("hyper/one.json", "{}")
        self.write("hyper/two.json", "{}")
        self.report("import", run_id="h", node="Hyper", type="HyperParameters", uri=self.dir / "hyper")
        self.refused(self.write("module.py", "def run_fn(a): pass"), "INPUT_UNUSABLE",
                     "holds 2 files; it must hold exactly one", hyperparameters="latest")

    def test_threads_and_children_that_a_module_leaves_behind_end_with_it(self):
        self.prepare()
        module = self.write("module.py", """
            import os, subprocess, threading

            def run_fn(fn_args):
                os.makedirs(fn_args.serving_model_dir)
                child = subprocess.Popen(["sleep", "600"], start_new_session=True)
                with open(os.path.join(fn_args.serving_model_dir, "pid"), "w") as file:
                    file.write(str(child.pid))
                threading.Thread(target=threading.Event().wait, name="for-ever").start()
            """)
        report, log = self.trained(module, "r2", skip_validation="true")
        self.assertIn("threads of the module still run, and are ended: for-ever", log)
        pid = (pathlib.Path(report["outputs"]["model"]["uri"]) / "Format-Serving" / "pid").read_text()
        self.assertFalse(pathlib.Path("/proc", pid).exists())

    def test_sigterm_ends_it_as_ctrl_c_ends_a_python_program(self):
        self.prepare()
        module = self.write("module.py", """
            import threading

            def run_fn(fn_args):
                try:
                    print("training", flush=True)
                    threading.Event().wait()
                finally:
                    print("cleaned up", flush=True)
            """)
        process = subprocess.Popen(self.words(module, "r2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.dir, env=workspace.ENVIRONMENT)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if line.startswith("training"):
                break
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=60)
        self.assertEqual(process.returncode, TERMINATED, log)
        self.assertIn("cleaned up", log)
        self.assertEqual(self.states()[-1], "CANCELED")


if __name__ == "__main__":
    workspace.main()

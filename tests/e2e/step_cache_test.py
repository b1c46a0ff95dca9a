"""The cache as a user sees it: hits, misses and their reasons, and many processes at once."""

import json
import os
import shutil
import signal
import subprocess

import served
import workspace

USAGE, NOT_FOUND, CANCELLED = 2, 3, 130


class CacheWorkspace(served.ServedWorkspace):

    def setUp(self):
        super().setUp()
        self.csv = self.dir / "data.csv"
        self.csv.write_text("x,y\n1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n7,g\n8,h\n")

    def generate(self, run, **flags):
        """example-gen in a run of its own; its report."""
        return self.report("example-gen", run_id=run, **{"input": self.csv, **flags})

    def cache(self, *arguments, **flags):
        result = self.run_command("cache", *arguments, db=self.db, output="json", **flags)
        return json.loads(self.ok(result).stdout)

    def why(self, execution):
        return self.query("why", "cache", execution)


class HitsAndMissesTest(CacheWorkspace):

    def test_the_same_data_is_not_read_twice(self):
        first = self.generate("a")
        second = self.generate("b")
        self.assertEqual((first["state"], second["state"]), ("COMPLETE", "CACHED"))
        self.assertEqual(second["cached_from"], first["execution_id"])
        for field in ("id", "uri", "properties", "custom_properties"):
            self.assertEqual(second["outputs"]["examples"][field], first["outputs"]["examples"][field])
        self.assertEqual(self.published("CsvExampleGen", "examples"), [str(first["execution_id"])])

    def test_a_copy_of_the_data_elsewhere_is_the_same_data(self):
        self.generate("a")
        copy = self.dir / "copy.csv"
        shutil.copyfile(self.csv, copy)
        os.utime(copy, (1, 1))
        self.assertEqual(self.generate("b", input=copy)["state"], "CACHED")

    def test_data_overwritten_in_place_is_other_data(self):
        self.generate("a")
        before = self.csv.stat()
        self.csv.write_text(self.csv.read_text().replace("8,h", "9,h"))
        os.utime(self.csv, ns=(before.st_atime_ns, before.st_mtime_ns))
        second = self.generate("b")
        self.assertEqual(second["state"], "COMPLETE")
        why = self.why(second["execution_id"])
        self.assertEqual(why["decision"], "miss")
        self.assertEqual([d["field"] for d in why["nearest"]["differences"]], ["data"])

    def test_downstream_of_a_hit_is_a_hit(self):
        self.generate("a")
        self.report("schema-gen", run_id="a")
        self.generate("b")
        self.assertEqual(self.report("schema-gen", run_id="b", examples="run:CsvExampleGen.examples")["state"], "CACHED")

    def test_equal_contents_under_another_id_are_equal(self):
        self.generate("a")
        first = self.report("schema-gen", run_id="a")
        again = self.generate("b", no_cache="true")
        self.assertEqual(again["state"], "COMPLETE")
        second = self.report("schema-gen", run_id="b", examples="run:CsvExampleGen.examples")
        self.assertEqual(second["cached_from"], first["execution_id"])

    def test_what_is_gone_is_made_again(self):
        first = self.generate("a")
        shutil.rmtree(first["outputs"]["examples"]["uri"])
        second = self.generate("b")
        self.assertEqual(second["state"], "COMPLETE")
        (rejected,) = self.why(second["execution_id"])["rejected"]
        self.assertEqual(rejected["execution_id"], first["execution_id"])
        self.assertIn("cannot be used", rejected["reason"])

    def test_too_old(self):
        self.generate("a")
        self.assertEqual(self.generate("b", cache_max_age="1h")["state"], "CACHED")
        second = self.generate("c", cache_max_age="0s")
        self.assertEqual(second["state"], "COMPLETE")
        self.assertIn("maximum age", self.why(second["execution_id"])["rejected"][0]["reason"])

    def test_an_ignored_input(self):
        self.generate("a")
        ignoring = {"cache_ignore_input": "examples"}
        self.report("schema-gen", run_id="a", **ignoring)
        self.csv.write_text("x,y\n1,a\n2,b\n")
        self.generate("b")
        self.assertEqual(self.report("schema-gen", run_id="b", **ignoring)["state"], "CACHED")
        self.assertEqual(self.report("schema-gen", run_id="c")["state"], "COMPLETE")

    def test_an_input_that_the_step_does_not_have(self):
        self.assert_refused(self.step("schema-gen", cache_ignore_input="exmples"), USAGE, "'exmples'", "it has examples")
        self.assertFalse(self.db.exists())

    def test_why_for_people(self):
        self.generate("a")
        hit = self.generate("b")
        other = self.generate("c", null_value="x")
        text = self.ok(self.run_command("metadata", "why", "cache", hit["execution_id"], db=self.db)).stdout
        self.assertIn("hit: it reused the outputs of execution 1", text)
        text = self.ok(self.run_command("metadata", "why", "cache", other["execution_id"], db=self.db)).stdout
        self.assertIn("miss: no earlier execution has its key", text)
        self.assertIn("nearest earlier run: execution 1, 1 of ", text)
        self.assertIn("parameter.null_values", text)
        self.assert_refused(self.run_command("metadata", "why", "cache", 99, db=self.db), NOT_FOUND, "99")

    def test_the_lineage_is_that_of_the_one_that_computed(self):
        first = self.generate("a")
        self.generate("b")
        schema = self.report("schema-gen", run_id="b", examples="run:CsvExampleGen.examples")
        lineage = self.query("lineage", schema["outputs"]["schema"]["id"])
        self.assertEqual([e["id"] for e in lineage["executions"]], [first["execution_id"], schema["execution_id"]])

    def test_the_summary_says_whose_outputs_they_are(self):
        self.generate("a")
        text = self.ok(self.step("example-gen", run_id="b", input=self.csv)).stdout
        self.assertIn("CACHED", text)
        self.assertIn("the outputs are those of execution 1", text)


class LsAndInvalidateTest(CacheWorkspace):

    def test_ls_says_what_there_is_and_whether_it_can_be_reused(self):
        first = self.generate("a")
        self.generate("b")
        self.report("schema-gen", run_id="b")
        schema, examples = self.cache("ls")
        self.assertEqual((schema["node"], schema["hits"], schema["usable"]), ("SchemaGen", 0, True))
        self.assertEqual((examples["node"], examples["hits"], examples["usable"]), ("CsvExampleGen", 1, True))
        self.assertEqual(examples["outputs"][0]["artifact_id"], first["outputs"]["examples"]["id"])
        self.assertEqual([entry["key"] for entry in self.cache("ls", node="SchemaGen")], [schema["key"]])
        self.assertEqual(self.cache("ls", pipeline="other"), [])
        shutil.rmtree(first["outputs"]["examples"]["uri"])
        (gone,) = self.cache("ls", node="CsvExampleGen")
        self.assertFalse(gone["usable"])
        self.assertIn("cannot be used", gone["reason"])
        table = self.ok(self.run_command("cache", "ls", db=self.db)).stdout
        self.assertEqual(table.splitlines()[0].split(),
                         ["KEY", "PIPELINE", "NODE", "EXECUTION", "AGE", "HITS", "OUTPUTS", "USABLE"])

    def test_invalidate_by_execution_even_by_a_hit(self):
        first = self.generate("a")
        hit = self.generate("b")
        dry = self.cache("invalidate", hit["execution_id"], dry_run="true")
        self.assertEqual((dry["invalidated"], dry["execution_ids"]), (1, [first["execution_id"]]))
        self.assertEqual(self.generate("c")["state"], "CACHED", "a dry run changes nothing")
        self.assertEqual(self.cache("invalidate", hit["execution_id"])["invalidated"], 1)
        self.assertEqual(self.generate("d")["state"], "COMPLETE")
        self.assertEqual(self.generate("e")["state"], "CACHED")

    def test_invalidate_by_key_node_and_pipeline(self):
        self.generate("a")
        self.report("schema-gen", run_id="a")
        key = self.cache("ls", node="CsvExampleGen")[0]["key"]
        self.assertEqual(self.cache("invalidate", key=key[:8])["invalidated"], 1)
        self.assertEqual(self.cache("invalidate", node="SchemaGen")["invalidated"], 1)
        self.assertEqual(self.cache("invalidate", all="true", pipeline="penguin")["invalidated"], 0, "all are already")
        self.generate("b")
        self.assertEqual(self.cache("invalidate", all="true", pipeline="penguin")["invalidated"], 1)
        self.assertFalse(any(entry["usable"] for entry in self.cache("ls")))

    def test_what_is_meant_must_be_said_once(self):
        self.generate("a")
        for arguments, flags in (((), {}), ((), {"all": "true"}), ((1,), {"node": "X"}), ((), {"key": "abc"})):
            result = self.run_command("cache", "invalidate", *arguments, db=self.db, **flags)
            self.assertEqual(result.returncode, USAGE, result.stderr)


class AtTheSameTimeTest(CacheWorkspace):
    """Real processes; the one that works is stopped where the test wants it."""

    OTHERS = 5

    def start(self, run, stop_at=None, **flags):
        flags = {"pipeline": "penguin", "pipeline_root": self.root, "run_id": run, "input": self.csv, "output": "json",
                 **self.store, **flags}
        environment = {**workspace.ENVIRONMENT, **({"REKINDLE_STOP_AT": stop_at} if stop_at else {})}
        process = subprocess.Popen(self.command("example-gen", **flags), cwd=self.dir, env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def start_worker(self, **flags):
        """A step that has done its work and was stopped before it published it."""
        worker = self.start("worker", stop_at="executed", **flags)
        _, status = os.waitpid(worker.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), status)
        return worker

    def start_others(self, count=OTHERS):
        """Steps with the same work, once all of them wait for the worker."""
        others = [self.start("other-%d" % i) for i in range(count)]
        for other in others:
            line = other.stderr.readline()
            self.assertRegex(line, r"waiting: execution 1, run by \S+, is computing the same outputs")
        return others

    def reports(self, processes):
        reports = []
        for process in processes:
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, err)
            reports.append(json.loads(out))
        return reports

    def assert_one_computed(self, reports):
        states = sorted(report["state"] for report in reports)
        self.assertEqual(states, ["CACHED"] * (len(reports) - 1) + ["COMPLETE"])
        self.assertEqual(len({report["outputs"]["examples"]["id"] for report in reports}), 1)

    def setUp(self):
        super().setUp()
        self.store = {"db": self.db}

    def test_one_computes_and_the_others_reuse_it(self):
        worker = self.start_worker()
        others = self.start_others()
        worker.send_signal(signal.SIGCONT)
        self.assert_one_computed(self.reports([worker, *others]))

    def test_the_same_through_a_server(self):
        self.store = {"metadata": self.serve().url}
        worker = self.start_worker()
        others = self.start_others()
        worker.send_signal(signal.SIGCONT)
        self.assert_one_computed(self.reports([worker, *others]))

    def test_nobody_is_held_up_and_still_one_computes(self):
        self.assert_one_computed(self.reports([self.start("run-%d" % i) for i in range(self.OTHERS)]))

    def test_when_the_worker_dies_one_of_the_others_computes(self):
        worker = self.start_worker(lease="3s")
        others = self.start_others()
        worker.kill()
        self.assert_one_computed(self.reports(others))

    def test_ctrl_c_ends_the_waiting(self):
        self.start_worker()
        (other,) = self.start_others(1)
        other.send_signal(signal.SIGINT)
        _, err = other.communicate(timeout=60)
        self.assertEqual(other.returncode, CANCELLED, err)
        self.assertEqual(self.states(), ["RUNNING", "CANCELED"])


if __name__ == "__main__":
    workspace.main()

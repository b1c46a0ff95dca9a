"""Who may do what at `rekindle serve --token-file`: tokens of every role, steps that carry one, and the audit log."""

import json
import os
import pathlib
import subprocess

import served
import workspace

FAILED, USAGE, NOT_FOUND = 1, 2, 3
ROLES = ("reader", "step", "writer", "admin")


class AccessTest(served.ServedWorkspace):

    def setUp(self):
        super().setUp()
        self.tokens = self.dir / "tokens"
        self.tokens.touch(0o600)
        for role in ROLES:
            self.grant(role, role)

    def new_token(self, name, role, **flags):
        """The file of a new token, and its line."""
        file = self.dir / (name + ".token")
        file.unlink(missing_ok=True)
        return file, self.ok(self.run_command("token", "new", name=name, role=role, out=file, **flags)).stdout

    def grant(self, name, role):
        _, line = self.new_token(name, role)
        with self.tokens.open("a") as file:
            file.write(line)

    def serve_with_tokens(self, **flags):
        return self.serve(token_file=self.tokens, **flags)

    def token_of(self, name):
        return (self.dir / (name + ".token")).read_text().strip()

    def as_(self, name, server, *arguments, environment=(), **flags):
        """A command that shows the token of `name`, in a file; of nobody with None."""
        if name is not None:
            flags["metadata_token_file"] = self.dir / (name + ".token")
        return subprocess.run(
            self.command(*arguments, metadata=server.url, **flags), capture_output=True, text=True, cwd=self.dir,
            env={**workspace.ENVIRONMENT, **dict(environment)}, timeout=self.timeout)

    def list_as(self, name, server, **more):
        return self.as_(name, server, "metadata", "list", "artifacts", **more)

    def import_as(self, name, server, **flags):
        flags = {"run_id": "r1", "pipeline": "p", "type": "Table", "uri": workspace.PENGUINS, "pipeline_root": self.root,
                 **flags}
        return self.as_(name, server, "import", **flags)

    def records(self, log):
        return [json.loads(line) for line in log.read_text().splitlines()]

    def test_commands_need_the_roles_that_the_document_names(self):
        server = self.serve_with_tokens()
        self.ok(self.as_("step", server, "example-gen", pipeline="p", input=workspace.PENGUINS, pipeline_root=self.root))
        for words, needs in {
                ("metadata", "list", "artifacts"): "reader",
                ("metadata", "lineage", "artifact", "1"): "reader",
                ("cache", "ls"): "reader",
                ("cache", "invalidate", "--all", "--pipeline=p"): "writer",
                ("metadata", "check"): "admin",
                ("metadata", "export"): "admin",
                ("metadata", "delete", "context", "99"): "admin"}.items():
            for role in ROLES:
                result = self.as_(role, server, *words)
                with self.subTest(words=words, role=role):
                    if ROLES.index(role) >= ROLES.index(needs):
                        self.assertNotIn("needs the role", result.stderr)
                    else:
                        self.assert_refused(result, FAILED, "needs the role " + needs, "'%s' is a %s" % (role, role))
        self.assert_refused(self.import_as("reader", server, run_id="r2"), FAILED, "Claim needs the role step")

    def test_one_whom_the_server_does_not_know_is_told_what_to_send(self):
        server = self.serve_with_tokens()
        self.assert_refused(self.list_as(None, server), FAILED, "REKINDLE_METADATA_TOKEN")
        self.new_token("stranger", "admin")  # its line is nowhere
        self.assert_refused(self.list_as("stranger", server), FAILED, "not one that this server knows")

    def test_a_token_may_come_by_the_environment(self):
        server = self.serve_with_tokens()
        given = {"REKINDLE_METADATA_TOKEN": self.token_of("reader")}
        self.ok(self.list_as(None, server, environment=given))
        by_file = {"REKINDLE_METADATA_TOKEN_FILE": str(self.dir / "reader.token")}
        self.ok(self.list_as(None, server, environment=by_file))
        self.assert_refused(self.list_as("reader", server, environment=given), USAGE, "given twice")

    def test_what_is_no_token_is_refused_before_it_is_sent(self):
        server = self.serve_with_tokens()
        for text in ("", "two words", "x" * 600, "caf\u00e9"):
            (self.dir / "bad.token").write_text(text)
            self.assert_refused(self.list_as("bad", server), USAGE, "bad.token", "one word")
        self.assert_refused(self.list_as("none", server), NOT_FOUND, "none.token")

    def test_a_token_is_not_sent_over_a_network_that_can_be_overheard(self):
        elsewhere = ("metadata", "list", "artifacts", "--metadata=grpc://192.0.2.1:8080")
        result = self.run_command(*elsewhere, metadata_token_file=self.dir / "reader.token")
        self.assert_refused(result, USAGE, "overheard", "grpcs://", "--metadata-plaintext-token")

    def test_users_code_does_not_see_the_token(self):
        for store in (self.serve_with_tokens().url, "sqlite:%s" % (self.dir / "own.db")):
            with self.subTest(store):
                self.assert_unseen(store)

    def assert_unseen(self, store):
        look = "env; cat /proc/$PPID/environ /proc/$PPID/cmdline"
        root = self.dir / ("root-" + store.partition(":")[0])
        command = self.command("exec", pipeline="p", node="N", run_id="r1", metadata=store, pipeline_root=root,
                               output="seen=Text")
        done = subprocess.run(
            [*command, "--", "sh", "-c", "(%s) > {{outputs.seen.uri}}/seen 2>&1; true" % look], capture_output=True, text=True,
            cwd=self.dir, timeout=self.timeout,
            env={**workspace.ENVIRONMENT, "REKINDLE_METADATA_TOKEN": self.token_of("step"), "SEEN": "this"})
        self.ok(done)
        [seen] = root.rglob("seen/*/seen")
        self.assertIn("SEEN=this", seen.read_text())
        for text in (seen.read_text(), done.stdout, done.stderr):
            self.assertFalse(self.token_of("step") in text)

    def test_a_step_takes_a_token_that_is_replaced_while_it_runs(self):
        server = self.serve_with_tokens()
        go = self.dir / "go"
        command = self.command(
            "exec", pipeline="p", node="N", run_id="r1", metadata=server.url, pipeline_root=self.root,
            metadata_token_file=self.dir / "step.token", lease="2s")
        wait = "touch %s.begun; while [ ! -e %s ]; do sleep 0.05; done" % (go, go)
        with subprocess.Popen([*command, "--", "sh", "-c", wait], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.dir, env=workspace.ENVIRONMENT) as step:
            self.wait_until(pathlib.Path(str(go) + ".begun").exists)
            old = self.dir / "old.token"
            (self.dir / "step.token").rename(old)
            _, line = self.new_token("step", "step")
            lines = self.tokens.read_text().splitlines(keepends=True)
            self.tokens.write_text("".join([row for row in lines if not row.startswith("step ")] + [line]))
            self.wait_until(lambda: self.list_as("old", server).returncode == FAILED)
            go.touch()
            out, err = step.communicate(timeout=self.timeout)
        self.assertEqual(step.returncode, 0, out + err)

    def test_a_token_file_that_is_spoilt_leaves_the_old_one_in_force(self):
        server = self.serve_with_tokens()
        self.tokens.write_text("reader reader\n")
        self.wait_until(lambda: self.list_as("reader", server).returncode == 0 and
                        "rekindle_token_file_in_force 0\n" in server.curl("/metrics")[1])
        self.tokens.write_text("")
        self.wait_until(lambda: self.list_as("reader", server).returncode == FAILED)
        server.process.terminate()
        _, err = server.process.communicate(timeout=60)
        self.assertIn("line 1", err)
        self.assertEqual(err.count("stays in force"), 1)

    def test_a_bad_token_file_does_not_start_a_server(self):
        for text, mode, code, fragment in (
                ("reader boss sha256:00\n", 0o600, USAGE, "line 1"),
                ("", 0o666, FAILED, "chmod go-w")):
            self.tokens.write_text(text)
            self.tokens.chmod(mode)
            self.assert_refused(self.run_command("serve", db=self.db, grpc_port=0, token_file=self.tokens), code, fragment)
        self.assert_refused(self.run_command("serve", db=self.db, grpc_port=0, token_file="none"), NOT_FOUND, "none")

    def test_only_this_machine_is_served_unless_someone_is_kept_out(self):
        result = self.run_command("serve", db=self.db, grpc_port=0, host="0.0.0.0")
        self.assert_refused(result, USAGE, "--token-file", "--tls-client-ca", "--insecure")
        self.serve_with_tokens(host="0.0.0.0")

    def test_http_asks_for_a_token_too(self):
        server = self.serve_with_tokens()
        status, answer = server.call("GetArtifacts", {})
        self.assertEqual((status, answer["status"]), (401, "UNAUTHENTICATED"))
        self.assertEqual(server.curl("/api/v1/openapi.json")[0], 401)
        for path in ("/healthz", "/readyz", "/metrics"):
            self.assertEqual(server.curl(path)[0], 200, path)
        reader = ("--header", "Authorization: Bearer " + self.token_of("reader"))
        self.assertEqual(server.curl("/api/v1/GetArtifacts", *reader, data="{}")[0], 200)
        self.assertEqual(server.curl("/api/v1/PutArtifacts", *reader, data="{}")[0], 403)

    def test_a_check_of_a_server_with_tokens_needs_none(self):
        server = self.serve_with_tokens()
        port = server.grpc.rpartition(":")[2]
        self.ok(self.run_command("serve", "--check", grpc_port=port))
        self.ok(self.run_command("serve", "--check", grpc_port=port, metadata_token_file=self.dir / "reader.token"))

    def test_writes_and_refusals_are_on_record(self):
        log = self.dir / "audit.jsonl"
        server = self.serve_with_tokens(audit_log=log)
        self.ok(self.import_as("step", server))
        self.ok(self.list_as("reader", server))
        self.assertEqual(self.import_as("reader", server, run_id="r2").returncode, FAILED)
        self.assertEqual(self.list_as(None, server).returncode, FAILED)
        self.wait_until(lambda: "UNAUTHENTICATED" in log.read_text())  # refusals are not waited for
        records = self.records(log)
        self.assertEqual({(record["call"], record["who"], record["role"], record["outcome"]) for record in records}, {
            ("Claim", "step", "step", "OK"), ("PreparePublish", "step", "step", "OK"), ("Publish", "step", "step", "OK"),
            ("Claim", "reader", "reader", "PERMISSION_DENIED"), ("GetArtifacts", "", "", "UNAUTHENTICATED")} | {
            (record["call"], "step", "step", "OK") for record in records if record["call"] in ("StartWork", "Finish")})
        [claim] = [record for record in records if record["call"] == "Claim" and record["outcome"] == "OK"]
        self.assertEqual((claim["from"], claim["by"]), ("127.0.0.1", "grpc"))
        self.assertRegex(claim["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertIn("r1", claim["what"]["external_id"])
        self.assertEqual(claim["answer"]["execution_id"], 1)
        for role in ROLES:
            self.assertNotIn(self.token_of(role), log.read_text())
        # A program that rotates logs moves it away.
        log.rename(self.dir / "audit.1")
        self.ok(self.import_as("step", server, run_id="r3"))
        self.assertEqual({record["who"] for record in self.records(log)}, {"step"})

    def test_a_log_that_cannot_be_written_is_loud_and_stops_nobody(self):
        server = self.serve_with_tokens(audit_log="/dev/full")
        self.ok(self.import_as("step", server))
        self.assertNotIn("rekindle_audit_lines_lost_total 0\n", server.curl("/metrics")[1])
        server.process.terminate()
        _, err = server.process.communicate(timeout=60)
        self.assertEqual(err.count("loses lines"), 1, err)

    def test_a_new_token_is_printed_once_with_its_line(self):
        token, line = self.ok(self.run_command("token", "new", name="ci", role="writer", until="2027-01-31")).stdout.splitlines()
        self.assertRegex(token, r"^token: rk_[A-Za-z0-9_-]{43}$")
        self.assertRegex(line, r"^line:  ci writer sha256:[0-9a-f]{64} 2027-01-31$")
        self.assertEqual(os.stat(self.dir / "reader.token").st_mode & 0o777, 0o600)
        for flags, fragment in (({"name": "ci"}, "--role"), ({"name": "c i", "role": "reader"}, "--name"),
                                ({"name": "ci", "role": "boss"}, "not a role"),
                                ({"name": "ci", "role": "reader", "until": "soon"}, "no time")):
            self.assert_refused(self.run_command("token", "new", **flags), USAGE, fragment)
        self.assert_refused(self.run_command("token", "new", name="ci", role="reader", out=self.dir / "reader.token"), 4,
                            "reader.token")


if __name__ == "__main__":
    workspace.main()

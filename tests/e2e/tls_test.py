"""`rekindle serve` with TLS: who may call it, what is said to others, and certificates that are replaced."""

import json
import shutil
import subprocess

import served
import workspace
from authority import Authority

USAGE, TRY_AGAIN = 2, 75


class TlsTest(workspace.Workspace):

    def setUp(self):
        super().setUp()
        self.ours, self.theirs = Authority(self.dir, "ours"), Authority(self.dir, "theirs")

    def serve(self, names="DNS:localhost,IP:127.0.0.1", **flags):
        certificate, key = self.ours.sign("server", names)
        server = served.Server(self.db, tls_cert=certificate, tls_key=key, **flags)
        self.addCleanup(server.close)
        return server

    def ask(self, server, url=None, **flags):
        return self.run_command("metadata", "list", "artifacts", metadata=url or server.url, output="json", **flags)

    def client(self, authority):
        certificate, key = authority.sign("client")
        return {"metadata_ca": self.ours.certificate, "metadata_cert": certificate, "metadata_key": key}

    def test_a_client_that_trusts_the_server_is_served(self):
        server = self.serve()
        self.assertTrue(server.url.startswith("grpcs://"))
        self.assertEqual(json.loads(self.ok(self.ask(server, metadata_ca=self.ours.certificate)).stdout), [])

    def test_a_step_runs_over_it(self):
        server = self.serve(tls_client_ca=self.ours.certificate)
        self.ok(self.run_command("import", pipeline="p", type="Table", uri=workspace.PENGUINS, pipeline_root=self.root,
                                 metadata=server.url, **self.client(self.ours)))
        [table] = json.loads(self.ok(self.ask(server, **self.client(self.ours))).stdout)
        self.assertEqual(table["type"], "Table")

    def test_others_are_not_served_and_told_to_try_again(self):
        server = self.serve(tls_client_ca=self.ours.certificate)
        plain = server.url.replace("grpcs", "grpc")
        for what, result in {
                "no certificate": self.ask(server, metadata_ca=self.ours.certificate),
                "another authority's": self.ask(server, **self.client(self.theirs)),
                "a server that it does not trust": self.ask(server, metadata_ca=self.theirs.certificate),
                "no TLS": self.ask(server, url=plain)}.items():
            with self.subTest(what):
                self.assert_refused(result, TRY_AGAIN, "metadata server", server.grpc)

    def check(self, server, **flags):
        """serve --check, told by variables what the server was told by flags, as in a container."""
        flags = {"grpc_port": server.grpc.rpartition(":")[2], "tls_cert": self.dir / "ours-server.pem",
                 "tls_key": self.dir / "ours-server.key", **flags}
        variables = {"REKINDLE_" + name.upper(): str(value) for name, value in flags.items() if value is not None}
        return subprocess.run(self.command("serve", "--check"), capture_output=True, text=True, timeout=self.timeout,
                              env={**workspace.ENVIRONMENT, **variables})

    def test_a_check_reaches_a_server_whose_certificate_is_for_others(self):
        server = self.serve(names="DNS:metadata.test")
        self.ok(self.check(server))
        self.assert_refused(self.check(server, tls_cert=None, tls_key=None), TRY_AGAIN, server.grpc)
        self.assertEqual(server.stop(), 0)
        self.assert_refused(self.check(server), TRY_AGAIN, server.grpc)

    def test_a_check_shows_the_servers_own_certificate_or_the_one_that_is_named(self):
        server = self.serve(tls_client_ca=self.ours.certificate)
        self.ok(self.check(server, tls_client_ca=self.ours.certificate))
        self.assertEqual(server.stop(), 0)
        server = self.serve(tls_client_ca=self.theirs.certificate)
        self.assert_refused(self.check(server, tls_client_ca=self.theirs.certificate), TRY_AGAIN, server.grpc)
        certificate, key = self.theirs.sign("client")
        self.ok(self.check(server, tls_client_ca=self.theirs.certificate, metadata_cert=certificate, metadata_key=key))

    def test_http_is_encrypted_too(self):
        server = self.serve()
        server.curl_options = ["--cacert", str(self.ours.certificate)]
        self.assertEqual(server.curl("/readyz"), (200, "ok\n"))
        self.assertEqual(server.call("PutArtifactType", {"artifactType": {"name": "Model"}})[0], 200)
        large = {"uris": ["x" * 3000000]}
        self.assertEqual(server.call("GetArtifactsByURI", large), (200, {}))
        self.assertNotEqual(self.curl_exit_code(server.http.replace("https", "http") + "/healthz"), 0)
        self.assertEqual(self.curl_exit_code(server.http + "/healthz", "--cacert", self.theirs.certificate), 60)
        self.assertNotEqual(self.curl_exit_code(server.http + "/healthz", "--insecure", "--tls-max", "1.1"), 0)

    def curl_exit_code(self, url, *options):
        return subprocess.run(["curl", "--silent", "--http0.9", *map(str, options), url], capture_output=True).returncode

    def test_http_takes_calls_only_with_a_certificate_but_answers_probes(self):
        server = self.serve(tls_client_ca=self.ours.certificate)
        trust = ["--cacert", str(self.ours.certificate)]
        show = {authority.name: [str(word) for pair in zip(("--cert", "--key"), authority.sign("client")) for word in pair]
                for authority in (self.ours, self.theirs)}
        server.curl_options = trust
        for path in ("/healthz", "/readyz", "/metrics"):
            self.assertEqual(server.curl(path)[0], 200, path)
        status, answer = server.call("GetArtifacts", {})
        self.assertEqual((status, answer["status"]), (401, "UNAUTHENTICATED"))
        server.curl_options = trust + show["ours"]
        self.assertEqual(server.call("GetArtifacts", {}), (200, {}))
        self.assertNotEqual(self.curl_exit_code(server.http + "/healthz", *trust, *show["theirs"]), 0)

    def test_http_answers_to_the_names_of_its_certificate(self):
        server = self.serve(names="DNS:metadata.test,IP:127.0.0.1")
        server.curl_options = ["--cacert", str(self.ours.certificate)]
        for host, expected in (("metadata.test", 200), ("evil.example", 421)):
            status, _ = server.curl("/api/v1/GetArtifacts", "--header", "Host: " + host, data="{}")
            self.assertEqual(status, expected, host)

    def test_certificates_that_are_replaced_are_taken(self):
        server = self.serve()
        server.curl_options = ["--cacert", str(self.theirs.certificate)]
        for old, new in zip((self.dir / "ours-server.key", self.dir / "ours-server.pem"),
                            reversed(self.theirs.sign("server"))):
            shutil.copy(new, str(old) + ".new")
            (old.parent / (old.name + ".new")).replace(old)
        self.wait_until(lambda: self.ask(server, metadata_ca=self.theirs.certificate).returncode == 0)
        self.wait_until(lambda: self.curl_exit_code(server.http + "/healthz", *server.curl_options) == 0)

    def test_files_that_cannot_be_used_are_named(self):
        certificate, key = self.ours.sign("server")
        _, other_key = self.ours.sign("other")
        text = self.dir / "text.pem"
        text.write_text("no PEM")
        for flags, exit_code, fragment in [
                ({"tls_cert": certificate}, USAGE, "together"),
                ({"tls_cert": text, "tls_key": key}, USAGE, text),
                ({"tls_cert": certificate, "tls_key": other_key}, USAGE, other_key),
                ({"tls_cert": certificate, "tls_key": key, "tls_client_ca": text}, USAGE, text),
                ({"tls_cert": self.dir / "none.pem", "tls_key": key}, 3, "none.pem")]:
            with self.subTest(fragment=str(fragment)):
                self.assert_refused(self.run_command("serve", db=self.db, grpc_port=0, **flags), exit_code, fragment)
        self.assert_refused(self.ask(None, url="grpc://localhost:1", metadata_ca=certificate), USAGE, "grpcs://HOST:PORT")


if __name__ == "__main__":
    workspace.main()

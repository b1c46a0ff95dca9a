"""The commands that documents show, in containers."""

import documents


class DocumentsTest(documents.Documents):

    def test_the_lines_of_the_readme(self):
        lines = documents.block("README.md", "docker run").splitlines(keepends=True)
        # The images are there: the tests have built them.
        self.assert_train_query_and_serve("".join(line for line in lines if not line.startswith("tools/image/build ")))

    def test_the_lines_of_the_document_on_images(self):
        self.assert_train_query_and_serve(documents.block("docs/images.md", "docker run"))

    def assert_train_query_and_serve(self, lines):
        said = self.run_lines(lines)
        # The last line starts a server, and docker prints its container.
        server = said.split()[-1]
        self.addCleanup(self.docker.run, "rm", "--force", server)
        self.wait_for("the server", lambda: "listening" in self.logs(server))
        for type_name in ("Examples", "Schema", "Model"):
            self.assertRegex(said, r"(?m)^\d+ +%s " % type_name)
        self.assert_all_is_the_callers()

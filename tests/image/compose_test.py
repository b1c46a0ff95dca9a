"""compose.yaml: a metadata server, and steps that use it."""

import json
import re
import subprocess

import yaml  # the system's, which docker-compose needs

import documents

FILE = "compose.yaml"


class ComposeTest(documents.Documents):

    def setUp(self):
        super().setUp()
        (self.dir / FILE).write_text(json.dumps(self.without_networks()))
        self.give(self.dir)
        self.addCleanup(subprocess.run, ["docker-compose", "down"], cwd=self.dir, env=self.docker.environment, check=True,
                        capture_output=True)

    def without_networks(self):
        """The file, for an engine that has none: the server hears itself alone, and the trainer shares its ears."""
        described = yaml.safe_load(documents.read(FILE))
        services = described["services"]
        del services["metadata"]["ports"]
        services["metadata"]["network_mode"] = "none"
        services["trainer"]["network_mode"] = "service:metadata"
        self.assertEqual(services["trainer"]["environment"]["REKINDLE_METADATA"], "grpc://metadata:8080")
        services["trainer"]["environment"]["REKINDLE_METADATA"] = "grpc://127.0.0.1:8080"
        return described

    def test_the_lines_at_its_top_train_by_the_server(self):
        lines = re.findall(r"^#   (.*\n)", documents.read(FILE), re.MULTILINE)
        said = self.run_lines("".join(lines))
        for type_name in ("Examples", "Schema", "Model"):
            self.assertRegex(said, r"(?m)^\d+ +%s " % type_name)
        self.assert_all_is_the_callers()

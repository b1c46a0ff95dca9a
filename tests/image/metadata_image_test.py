"""The image with the server and the commands."""

import json

import containers
import every_image
import steps_in_image


class MetadataImageTest(every_image.EveryImage, steps_in_image.StepsInImage, containers.Containers):

    target = "metadata"
    most_megabytes = 60

    def test_has_no_tensorflow_and_no_python(self):
        self.assertEqual(self.find("*tensorflow*", "python3*"), [])

    def test_trains_nothing_and_says_what_would(self):
        self.prepare()
        self.assert_refused(self.step("train", label_key="species"), 1, "rekindle-trainer", "CHILD_CANNOT_START")

    def test_serves_a_store_that_another_container_queries_and_is_healthy(self):
        self.prepare()
        server = self.start("serve", "--host=0.0.0.0", "--insecure", docker=["--health-interval=1s"])
        self.wait_for("health", lambda: self.docker.run(
            "inspect", "--format", "{{.State.Health.Status}}", server).stdout.strip() == "healthy")
        asked = self.docker.run("run", "--rm", "--network=container:" + server, self.image, "metadata", "list", "artifacts",
                                "--metadata=grpc://127.0.0.1:8080", "--output=json")
        self.assertEqual(len(json.loads(asked.stdout)), 2)

    def test_a_server_that_does_not_answer_is_not_healthy(self):
        self.assert_refused(self.rekindle("serve", "--check"), 75, "127.0.0.1:8080")

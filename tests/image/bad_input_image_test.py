"""What a user may get wrong with an image: one clear sentence each."""

import os

import containers


class BadInputImageTest(containers.Containers):

    target = "trainer"

    def test_a_volume_that_is_mounted_read_only(self):
        self.mount = "ro"
        self.assert_not_to_be_written(self.step("example-gen", input="/data/penguins.csv"))

    def test_a_volume_of_somebody_else(self):
        os.chown(self.dir, 0, 0)
        self.dir.chmod(0o755)
        self.assert_not_to_be_written(self.step("example-gen", input="/data/penguins.csv"))

    def test_a_module_that_is_not_there(self):
        self.prepare()
        self.assert_refused(self.step("train", module_file="/data/none.py"), 2,
                            "--module-file: there is no '/data/none.py'")

    def test_a_module_in_python_where_there_is_no_python(self):
        (self.dir / "module.py").write_text("def run_fn(fn_args): pass\n")
        self.assert_refused(self.step("train", module_file="/data/module.py"), 1, "run_module.py")

    def test_a_database_of_somebody_else(self):
        self.prepare()
        database = self.dir / "rekindle.db"
        os.chown(database, 0, 0)
        database.chmod(0o600)
        done = self.rekindle("metadata", "list", "artifacts")
        self.assert_refused(done, 1, "rekindle.db", "permissions")
        self.assertRegex(done.stderr, r"is not readable|cannot be (read|opened)")

    def assert_not_to_be_written(self, done):
        self.assert_refused(done, 1, "rekindle.db", "folder", "permissions")
        self.assertRegex(done.stderr, r"is not writable|cannot be written")

    def test_a_target_that_there_is_not(self):
        done = containers.build_in(containers.REPO, "trainer-tpu")
        self.assertEqual((done.returncode, done.stderr), (
            2, "image: there is no target 'trainer-tpu'; there are metadata trainer trainer-python trainer-gpu\n"))

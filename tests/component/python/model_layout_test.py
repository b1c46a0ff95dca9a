"""How an Estimator's folders become a model's: model_layout_test.py LIBRARY"""

import pathlib
import sys
import tempfile
import unittest

sys.path.append(sys.argv.pop(1))
from rekindle_module import model_layout  # pylint: disable=wrong-import-position


class ModelLayoutTest(unittest.TestCase):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = pathlib.Path(temporary.name)
        self.serving = self.dir / "model" / "Format-Serving"
        self.eval = self.dir / "model" / "Format-TFMA"
        self.run = self.dir / "run"
        self.run.mkdir()

    def save(self, folder, text="model"):
        """A SavedModel, as far as its name says."""
        folder.mkdir(parents=True)
        (folder / "saved_model.pb").write_text(text)

    def settle(self):
        model_layout.settle({"serving_model_dir": str(self.serving), "eval_model_dir": str(self.eval),
                             "model_run_dir": str(self.run)})

    def files(self, folder):
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

    def test_the_newest_export_is_the_highest_number_that_is_a_saved_model(self):
        for version in ("best/9", "best/10", "final/11", "final/temp-99"):
            self.save(self.dir / "export" / version)
        (self.dir / "export" / "final" / "12").mkdir()  # an export that was cut
        self.assertEqual(model_layout.newest_export(str(self.dir)), str(self.dir / "export/final/11"))
        self.assertIsNone(model_layout.newest_export(str(self.run)))

    def test_an_estimator_s_folder_in_place_of_a_model_goes_to_the_run(self):
        self.save(self.serving / "export" / "taxi" / "7", "old")
        self.save(self.serving / "export" / "taxi" / "8", "new")
        (self.serving / "checkpoint").touch()
        self.save(self.eval / "9", "eval")
        (self.run / "Format-Serving").mkdir()
        (self.run / "Format-Serving" / "left by an earlier attempt").touch()
        self.settle()
        self.assertEqual(self.files(self.dir / "model"), ["Format-Serving/saved_model.pb", "Format-TFMA/saved_model.pb"])
        self.assertEqual((self.serving / "saved_model.pb").read_text(), "new")
        self.assertEqual((self.eval / "saved_model.pb").read_text(), "eval")
        self.assertEqual(self.files(self.run), ["Format-Serving/checkpoint",
                                                "Format-Serving/export/taxi/7/saved_model.pb",
                                                "Format-Serving/export/taxi/8/saved_model.pb"])

    def test_what_is_in_its_place_stays(self):
        self.save(self.serving)
        self.save(self.serving / "export" / "mine" / "1")
        before = self.files(self.dir)
        self.settle()
        self.assertEqual(self.files(self.dir), before)

    def test_no_model_at_all_stays_so(self):
        self.settle()
        self.assertEqual(self.files(self.dir), [])

    def test_paths_of_a_model(self):
        model = str(self.dir / "model")
        self.save(self.serving)
        self.assertEqual(model_layout.serving_model_path(model), str(self.serving))
        self.assertEqual(model_layout.eval_model_path(model), str(self.serving))
        self.save(self.serving / "export" / "taxi" / "7")
        self.assertEqual(model_layout.serving_model_path(model), str(self.serving / "export/taxi/7"))
        self.save(self.eval / "9")
        self.assertEqual(model_layout.eval_model_path(model), str(self.eval / "9"))


if __name__ == "__main__":
    unittest.main()

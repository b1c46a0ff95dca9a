"""EvalInputReceiver and export_eval_savedmodel."""

from rekindle_module.eval_saved_model import EvalInputReceiver
from rekindle_module.eval_saved_model import export_eval_savedmodel

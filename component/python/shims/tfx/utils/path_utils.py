"""Where a model's parts are."""

from rekindle_module.model_layout import eval_folder as eval_model_dir
from rekindle_module.model_layout import eval_model_path
from rekindle_module.model_layout import serving_folder as serving_model_dir
from rekindle_module.model_layout import serving_model_path

"""Stands in for tensorflow_transform, as far as module files use it to train and not to analyze."""

from rekindle_module.transform_output import TFTransformOutput

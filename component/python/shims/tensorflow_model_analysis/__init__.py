"""Stands in for tensorflow_model_analysis: the export of an Estimator for evaluation."""

from tensorflow_model_analysis import export

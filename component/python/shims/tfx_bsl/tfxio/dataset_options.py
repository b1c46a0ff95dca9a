"""TensorFlowDatasetOptions and RecordBatchesOptions."""

from rekindle_module.dataset_options import RecordBatchesOptions
from rekindle_module.dataset_options import TensorFlowDatasetOptions

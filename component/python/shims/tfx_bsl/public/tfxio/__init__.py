"""TensorFlowDatasetOptions and RecordBatchesOptions."""

from tfx_bsl.tfxio.dataset_options import RecordBatchesOptions
from tfx_bsl.tfxio.dataset_options import TensorFlowDatasetOptions

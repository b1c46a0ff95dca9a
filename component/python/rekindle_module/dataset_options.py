"""How data_accessor's factories read, as tfx_bsl has it."""

from typing import NamedTuple, Optional

AUTOTUNE = -1  # tf.data.AUTOTUNE


class TensorFlowDatasetOptions(NamedTuple):
    """Of tf_dataset_factory."""

    batch_size: int
    drop_final_batch: bool = False  # what repeats for ever drops it always
    num_epochs: Optional[int] = None  # None: for ever
    shuffle: bool = True
    shuffle_buffer_size: int = 10000
    shuffle_seed: Optional[int] = None
    prefetch_buffer_size: int = AUTOTUNE
    reader_num_threads: int = AUTOTUNE
    parser_num_threads: int = AUTOTUNE
    sloppy_ordering: bool = False  # faster, in an order that differs from run to run
    label_key: Optional[str] = None  # the dataset then is of pairs (features, label)


class RecordBatchesOptions(NamedTuple):
    """Of record_batch_factory."""

    batch_size: int
    drop_final_batch: bool = False
    num_epochs: Optional[int] = None
    shuffle: bool = True
    shuffle_buffer_size: int = 10000
    shuffle_seed: Optional[int] = None

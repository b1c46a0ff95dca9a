"""What run_fn gets: TFX's FnArgs and DataAccessor."""

import dataclasses
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional


class DataAccessor(NamedTuple):
    """How a module reads its examples, whatever files they are in."""

    # (file_pattern, TensorFlowDatasetOptions, schema) -> tf.data.Dataset
    tf_dataset_factory: Callable[..., Any]
    # (file_pattern, RecordBatchesOptions, schema) -> iterator of pyarrow.RecordBatch
    record_batch_factory: Callable[..., Any]
    # Of examples that have a DataView; there are none here.
    data_view_decode_fn: Optional[Callable[..., Any]] = None


@dataclasses.dataclass
class FnArgs:
    """The arguments of run_fn, as TFX's Trainer fills them in.

    With statistics among the step's inputs there is one attribute more, `num_examples`, a dict by split.
    """

    working_dir: Optional[str] = None  # only a Tuner has one
    train_files: Optional[List[str]] = None  # glob patterns
    eval_files: Optional[List[str]] = None
    train_steps: Optional[int] = None
    eval_steps: Optional[int] = None
    schema_path: Optional[str] = None
    schema_file: Optional[str] = None  # old name of schema_path
    transform_graph_path: Optional[str] = None
    transform_output: Optional[str] = None  # old name of transform_graph_path
    data_accessor: Optional[DataAccessor] = None
    serving_model_dir: Optional[str] = None
    eval_model_dir: Optional[str] = None
    model_run_dir: Optional[str] = None
    base_model: Optional[str] = None
    hyperparameters: Optional[Dict[str, Any]] = None
    custom_config: Optional[Dict[str, Any]] = None


def make_fn_args(executor_input, data_accessor):
    """The FnArgs of an executor input, of the class that the user's module knows."""
    schema = executor_input["schema_path"] or None
    graph = executor_input["transform_graph_path"] or None
    same = ("train_files", "eval_files", "train_steps", "eval_steps", "serving_model_dir", "eval_model_dir",
            "model_run_dir", "hyperparameters", "custom_config")
    fn_args = _class_of_users()(
        schema_path=schema, schema_file=schema, transform_graph_path=graph, transform_output=graph,
        data_accessor=data_accessor, base_model=executor_input["base_model"] or None,
        **{key: executor_input[key] for key in same})
    # What trainer_fn calls it; a trainer_fn that a run_fn reuses, too.
    fn_args.base_models = [fn_args.base_model] if fn_args.base_model else []
    if executor_input["num_examples"] is not None:
        fn_args.num_examples = executor_input["num_examples"]
    return fn_args


def _class_of_users():
    """TFX's own class if the module has imported it; to import it for the sake of a name would take seconds."""
    imported = sys.modules.get("tfx.components.trainer.fn_args_utils")
    return FnArgs if imported is None else imported.FnArgs

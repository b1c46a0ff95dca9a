"""SavedModels for evaluation, as far as an Estimator writes them itself: loss, metrics and predictions of examples."""

from typing import Any, Dict, NamedTuple


def export_eval_savedmodel(estimator, export_dir_base, eval_input_receiver_fn, serving_input_receiver_fn=None,
                           assets_extra=None, checkpoint_path=None):
    """Exports what the Estimator computes when it evaluates into a numbered folder of export_dir_base; its path."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    receivers = {tf.estimator.ModeKeys.EVAL: eval_input_receiver_fn}
    if serving_input_receiver_fn is not None:
        receivers[tf.estimator.ModeKeys.PREDICT] = serving_input_receiver_fn
    return estimator.experimental_export_all_saved_models(
        export_dir_base, receivers, assets_extra=assets_extra, checkpoint_path=checkpoint_path)


class EvalInputReceiver(NamedTuple):
    """What an eval_input_receiver_fn returns: the features and labels of the examples that are fed."""

    features: Any
    labels: Any
    receiver_tensors: Dict[str, Any]
    input_refs: Any = None  # of models that make several rows of one example
    iterator_count: Any = None

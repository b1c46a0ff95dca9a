"""The model that was trained, as its rewriters see it."""

import difflib

import tensorflow as tf

from rekindle_module import failure
from rekindle_rewrite import probe


class Original:
    """A SavedModel, its signatures, and what these answer to the first examples."""

    def __init__(self, folder, patterns):
        """Loads it. `patterns` name files of examples to ask it for; without any it cannot be asked."""
        self.folder = folder
        self.tensorflow_version = tf.__version__
        self.signatures = load(folder).signatures
        self._examples = probe.read_examples(patterns) if patterns else None

    def check(self, names):
        """`names`, which must all be signatures."""
        for name in names:
            if name not in self.signatures:
                raise _unknown_signature(name, list(self.signatures))
        return names

    def largest_difference(self, name, ask):
        """How far the answers of another model are from those of the signature `name`, if there are examples.

        `ask` gets values by the names of the signature's inputs, and returns answers by the names of its outputs.
        Raises Failure if the two do not answer alike.
        """
        if self._examples is None:
            return None
        inputs, expected = self._asked(name)
        return probe.largest_difference(expected, ask(inputs))

    def _asked(self, name):
        """Values that the signature takes, and what it answers to them."""
        signature = self.signatures[name]
        specs = signature.structured_input_signature[1]
        problem = None
        # Of raw features behind a transform graph: it does not take the examples, which are transformed ones.
        for examples in (self._examples, [b""]):
            try:
                inputs = probe.inputs_for(specs, examples)
                return inputs, ask_signature(signature, inputs)
            except (tf.errors.OpError, ValueError) as error:
                problem = problem or error
        raise failure.Failure(
            failure.REWRITE_FAILED,
            "signature '%s' cannot be asked, so no other model can be compared with it: %s (--skip-validation "
            "publishes models untried)" % (name, failure.one_line(problem))) from problem


def load(folder):
    """The SavedModel in `folder`."""
    try:
        return tf.saved_model.load(folder)
    except Exception as error:  # whatever a broken model makes TensorFlow raise
        raise failure.Failure(failure.REWRITE_FAILED,
                              "the model does not load: %s" % failure.one_line(error)) from error


def ask_signature(signature, inputs):
    """What a signature of a loaded SavedModel answers, as arrays by name."""
    answers = signature(**{name: tf.constant(values) for name, values in inputs.items()})
    return {name: values.numpy() for name, values in answers.items()}


def _unknown_signature(name, signatures):
    nearest = difflib.get_close_matches(name, signatures, n=1)
    hint = "did you mean '%s'?" % nearest[0] if nearest else "it has %s" % ", ".join(sorted(signatures))
    return failure.Failure(failure.REWRITE_FAILED, "the model has no signature '%s'; %s" % (name, hint))

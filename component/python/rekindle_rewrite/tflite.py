"""A TensorFlow Lite model of one signature."""

import os
import re
import warnings

import tensorflow as tf
from tensorflow.lite.python import schema_py_generated as schema

from rekindle_module import failure

FOLDER = "Format-TFLite"
# The name by which TFX's rewriter and TensorFlow Model Analysis know it.
_FILE = "tflite"
# A device has tensors, no tf.Examples, and its interpreter cannot parse them.
_OF_TENSORS, _DEFAULT_SIGNATURE = "serving_raw", "serving_default"
_PARSES_EXAMPLES = {"ParseExample", "ParseExampleV2", "ParseSingleExample"}
# How the name of an operation begins that the interpreter runs by TensorFlow's own kernel.
_BORROWED = "Flex"


def rewrite(model, names, folder):
    """Writes the model into `folder`; what is worth recording of it."""
    preferred = _OF_TENSORS if _OF_TENSORS in model.signatures else _DEFAULT_SIGNATURE
    [name] = model.check(names or [preferred])
    content = _convert(model.folder, name)
    borrowed = _borrowed_ops(content)
    difference = model.largest_difference(name, lambda inputs: _ask(content, name, borrowed, inputs))
    os.makedirs(folder)
    with open(os.path.join(folder, _FILE), "wb") as file:
        file.write(content)
    return {"signatures": [name], "bytes": len(content), "largest_difference": difference, "tensorflow_ops": borrowed}


def _convert(serving_model_dir, name):
    """TensorFlow's own kernels stand in for what TensorFlow Lite has none for."""
    converter = tf.lite.TFLiteConverter.from_saved_model(serving_model_dir, signature_keys=[name])
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
    try:
        return converter.convert()
    except Exception as error:  # whatever the converter raises
        raise failure.Failure(failure.REWRITE_FAILED, "signature '%s' cannot be converted: %s" %
                              (name, _sentence_of(error))) from error


def _ask(content, name, borrowed, inputs):
    """What the converted model answers, by name."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where the interpreter will live one day
            runner = tf.lite.Interpreter(model_content=content).get_signature_runner(name)
        return runner(**inputs)
    except Exception as error:  # a kernel that is missing or refuses
        problem = _lacks_kernels(borrowed) if "Flex delegate" in str(error) else _sentence_of(error)
        raise failure.Failure(failure.REWRITE_FAILED, "the converted signature '%s' does not run: %s" %
                              (name, problem)) from error


def _lacks_kernels(borrowed):
    advice = "name a signature that takes tensors, as tflite:SIGNATURE" if _PARSES_EXAMPLES & set(borrowed) else (
        "--python names one that has them: TensorFlow up to 2.18")
    return "it needs TensorFlow's own %s, which the interpreter of TensorFlow %s does not have; %s" % (
        ", ".join(borrowed), tf.__version__, advice)


def _sentence_of(error):
    """What a converter or an interpreter says, in one line."""
    missing = re.search(r"^Custom ops: (.+)$", str(error), re.MULTILINE)
    if missing:
        return "TensorFlow Lite has no %s, and cannot borrow it from TensorFlow" % missing.group(1)
    lines = [line for line in str(error).splitlines() if line.strip()]
    return failure.one_line(lines[-1]) if lines else type(error).__name__


def _borrowed_ops(content):
    """Operations that an interpreter needs TensorFlow's kernels for (the Flex delegate)."""
    model = schema.Model.GetRootAsModel(content, 0)
    codes = [model.OperatorCodes(i).CustomCode() for i in range(model.OperatorCodesLength())]
    names = {code.decode() for code in codes if code}
    return sorted(name[len(_BORROWED):] for name in names if name.startswith(_BORROWED))

"""A SavedModel with some of another's signatures."""

import contextlib
import os
import shutil

from tensorflow.core.protobuf import saved_model_pb2

from rekindle_module import failure
from rekindle_rewrite import original

FOLDER = "Format-SavedModel"
_DEFAULT_SIGNATURE = "serving_default"
_FILE = "saved_model.pb"
# What a graph runs when it is loaded; no signature to a user.
_INTERNAL = {"__saved_model_init_op", "__saved_model_train_op"}


def rewrite(model, names, folder):
    """Writes the model into `folder`; what is worth recording of it."""
    kept = sorted(set(model.check(names or [_DEFAULT_SIGNATURE])))
    shutil.copytree(model.folder, folder)
    _keep_signatures(os.path.join(folder, _FILE), set(kept))
    _remove_what_no_longer_holds(folder, kept)
    return {"signatures": kept, "bytes": _size_of(folder), "largest_difference": _compare(model, kept, folder),
            "tensorflow_ops": []}


def _keep_signatures(file, kept):
    """Takes the other signatures out of the graphs, and out of the objects by which TensorFlow 2 finds them."""
    model = saved_model_pb2.SavedModel()
    with open(file, "rb") as stream:
        model.ParseFromString(stream.read())
    for graph in model.meta_graphs:
        for name in set(graph.signature_def) - kept - _INTERNAL:
            del graph.signature_def[name]
        _keep_signature_objects(graph.object_graph_def, kept)
    with open(file, "wb") as stream:
        stream.write(model.SerializeToString(deterministic=True))


def _keep_signature_objects(objects, kept):
    if not objects.nodes:  # of TensorFlow 1, or of our trainer
        return
    for child in objects.nodes[0].children:
        if child.local_name != "signatures":
            continue
        signatures = objects.nodes[child.node_id].children
        left = [signature for signature in signatures if signature.local_name in kept]
        del signatures[:]
        signatures.extend(left)


def _remove_what_no_longer_holds(folder, kept):
    """The fingerprint of the other model, and warm-up requests to a signature that is gone."""
    stale = ["fingerprint.pb"]
    if _DEFAULT_SIGNATURE not in kept:
        stale.append(os.path.join("assets.extra", "tf_serving_warmup_requests"))
    for name in stale:
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(folder, name))


def _size_of(folder):
    return sum(os.path.getsize(os.path.join(parent, file)) for parent, _, files in os.walk(folder) for file in files)


def _compare(model, kept, folder):
    rewritten = original.load(folder).signatures
    if sorted(rewritten) != kept:
        raise failure.Failure(failure.REWRITE_FAILED, "the rewritten model has the signatures %s, expected %s" %
                              (", ".join(sorted(rewritten)), ", ".join(kept)))
    differences = [model.largest_difference(name, _asker(rewritten[name])) for name in kept]
    return None if None in differences else max(differences)


def _asker(signature):
    return lambda inputs: original.ask_signature(signature, inputs)

"""Message classes made at run time from descriptors, for whatever protobuf the interpreter has.

Generated code works only with the protobuf that it was generated for, and the newer; TensorFlow 2.15 and 2.21 have
different ones. The descriptors are in descriptors.binpb, which the build writes from our .proto files.
"""

import functools
import os

from rekindle_module import shim_path

_DESCRIPTORS = os.path.join(shim_path.LIBRARY, "descriptors.binpb")


@functools.lru_cache(maxsize=None)
def _files():
    """By name, the files of the descriptor set, each before those that import it; all of them in the pool."""
    from google.protobuf import descriptor_pb2  # pylint: disable=import-outside-toplevel
    from google.protobuf import descriptor_pool  # pylint: disable=import-outside-toplevel

    with open(_DESCRIPTORS, "rb") as file:
        descriptors = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.Default()
    for file in descriptors.file:
        pool.AddSerializedFile(file.SerializeToString())
    return {file.name: pool.FindFileByName(file.name) for file in descriptors.file}


def define(proto, namespace):
    """Puts the messages and enums of the .proto file into `namespace`, a module's globals(), as protoc's code does."""
    from google.protobuf.internal import builder  # pylint: disable=import-outside-toplevel

    descriptor = _files()[proto]
    namespace["DESCRIPTOR"] = descriptor
    builder.BuildMessageAndEnumDescriptors(descriptor, namespace)
    builder.BuildTopDescriptorsAndMessages(descriptor, namespace["__name__"], namespace)

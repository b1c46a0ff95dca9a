"""What there is to train on, and why there is no GPU; what component/strategies says to those who train in C++."""

import ctypes
import os
import sys

from rekindle_module import failure

_OLDEST_CUDA = 12000  # the driver's own number for CUDA 12.0
# CUresult.
_SUCCESS, _NO_DEVICE, _DRIVER_MISMATCH = 0, 100, 803
_NONE_SHOWN = ("the NVIDIA driver is there, but shows this process no device; ask for one (docker run --gpus all; "
               "nvidia.com/gpu in a pod), and see that CUDA_VISIBLE_DEVICES does not hide it")


def look(require_gpu):
    """Prints what was found; a Failure when that has to be a GPU and is none. The module has been loaded by then: it
    may choose devices while it is."""
    tf = sys.modules.get("tensorflow")
    if tf is None and not require_gpu:
        return  # a module of another framework, which is asked nothing
    if tf is None:
        import tensorflow as tf  # pylint: disable=import-outside-toplevel
    gpus = [_name_of(tf, gpu) for gpu in tf.config.list_physical_devices("GPU")]
    why_none = "" if gpus else _why_none(tf)
    print(_line(gpus, why_none))
    if require_gpu and not gpus:
        raise failure.Failure(
            failure.NO_GPU, "a GPU is required, and none was found: %s; without --require-gpu it trains on the CPU" %
            why_none)


def why_no_cuda(library="libcuda.so.1"):
    """Why CUDA finds no GPU, by asking the driver's library; "" when there is nothing wrong with it."""
    try:
        driver = ctypes.CDLL(library)
    except OSError:
        return ("there is no NVIDIA driver: %s is not found; run it on a node that has one, with NVIDIA's container "
                "runtime (docker run --gpus all; nvidia.com/gpu in a pod)" % library)
    version = _ask(driver.cuDriverGetVersion)
    if version < _OLDEST_CUDA:
        return "the NVIDIA driver is too old: it runs %s, and TensorFlow needs %s (driver 525) or later" % (
            _cuda_name(version), _cuda_name(_OLDEST_CUDA))
    result = driver.cuInit(0)
    if result == _SUCCESS:
        return "" if _ask(driver.cuDeviceGetCount) else _NONE_SHOWN
    if result == _NO_DEVICE:
        return _NONE_SHOWN
    if result == _DRIVER_MISMATCH:
        return ("the NVIDIA driver's library and its kernel module are of different versions; restart the node after "
                "an update of the driver")
    return "the NVIDIA driver refuses with CUDA error %d; nvidia-smi on the node says more" % result


def _ask(function):
    answer = ctypes.c_int(0)
    return answer.value if function(ctypes.byref(answer)) == _SUCCESS else 0


def _cuda_name(version):
    return "CUDA %d.%d" % (version // 1000, version % 1000 // 10)


def _why_none(tf):
    if not tf.test.is_built_with_cuda():
        return "this TensorFlow is built without CUDA"
    return why_no_cuda() or ("the driver shows one, but TensorFlow cannot use it; TF_CPP_MIN_LOG_LEVEL=0 makes it say "
                             "why")


def _name_of(tf, gpu):
    details = tf.config.experimental.get_device_details(gpu)
    capability = details.get("compute_capability")
    return details.get("device_name", "of unknown make") + (
        " (compute capability %d.%d)" % capability if capability else "")


def _line(gpus, why_none):
    cores = len(os.sched_getaffinity(0))
    found = ["%d CPU core%s" % (cores, "" if cores == 1 else "s")]
    found += ["GPU %d: %s" % numbered for numbered in enumerate(gpus)]
    if not gpus:
        found.append("no GPU (%s)" % why_none)
    return "devices found: " + "; ".join(found)

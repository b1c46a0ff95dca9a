"""The image for GPUs, on a machine without one."""

import json

import containers
import every_image
import pinned_packages

# Looks for CUDA's libraries, of the versions in TensorFlow's build info, along the paths in TensorFlow's own; loads each,
# with what it needs in turn. libcuda is the driver's.
LOAD_CUDA = r"""
import ctypes, glob, json, os, re
folder = glob.glob("/opt/rekindle/python/lib/python3*/site-packages/tensorflow")[0]
info = {}
exec(open(folder + "/python/platform/build_info.py").read(), info)
info = info["build_info"]
cuda = info["cuda_version"].split(".")[0]
sonames = ["lib%s.so.%s" % (name, cuda) for name in ("cudart", "cublas", "cublasLt", "cusparse", "cupti")]
sonames += ["libcudnn.so." + info["cudnn_version"].split(".")[0], "libcufft.so.11", "libcusolver.so.11", "libnccl.so.2"]
runpath = set()
for library in ("libtensorflow_cc.so.2", "libtensorflow_framework.so.2"):
    with open(folder + "/" + library, "rb") as file:
        for found in re.findall(rb"\$ORIGIN/[^\0]*nvidia[^\0]*", file.read()):
            runpath.update(found.decode().replace("$ORIGIN", "/opt/rekindle/lib/tensorflow").split(":"))
loaded = {}
for soname in sonames:
    places = [place + "/" + soname for place in sorted(runpath) if os.path.exists(place + "/" + soname)]
    loaded[soname] = bool(places and ctypes.CDLL(places[0], os.RTLD_NOW))
print(json.dumps({"cuda": info["cuda_version"], "loaded": loaded}))
"""


class TrainerGpuImageTest(every_image.EveryImage, pinned_packages.PinnedPackages, containers.Containers):

    target = "trainer-gpu"

    def test_cudas_libraries_are_found_where_tensorflow_looks_and_load(self):
        answer = json.loads(self.docker.run("run", "--rm", "--network=none", "--entrypoint=python3", self.image, "-c",
                                            LOAD_CUDA).stdout)
        self.assertEqual([soname for soname, loaded in answer["loaded"].items() if not loaded], [], answer)
        config = json.loads(self.docker.run("image", "inspect", self.image).stdout)[0]["Config"]
        self.assertFalse([variable for variable in config["Env"] if variable.startswith("LD_LIBRARY_PATH")])

    def test_without_a_gpu_it_says_so(self):
        self.prepare()
        self.assert_refused(self.step("train", label_key="species"), 1,
                            "a GPU is required, and none was found: there is no NVIDIA driver: libcuda.so.1", "NO_GPU")

    def test_without_a_gpu_a_module_in_python_says_so_too(self):
        (self.dir / "module.py").write_text("import tensorflow\ndef run_fn(fn_args): raise AssertionError('trained')\n")
        self.prepare()
        self.assert_refused(self.step("train", module_file="/data/module.py"), 1,
                            "a GPU is required, and none was found: there is no NVIDIA driver: libcuda.so.1", "NO_GPU")

    def test_trains_on_the_cpu_when_told_that_it_may(self):
        self.prepare()
        trained = self.ok(self.step("train", label_key="species", train_steps=200, require_gpu="false"))
        self.assertIn("no GPU (there is no NVIDIA driver: libcuda.so.1 is not found", trained.stderr)
        self.assertGreater(json.loads(trained.stdout)["outputs"]["model"]["custom_properties"]["accuracy"], 0.9)

#include "component/strategies/cuda_driver.h"

#include <dlfcn.h>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rekindle {
namespace {

// The driver's own number for CUDA 12.0: later ones of the same major version
// run on every driver that has it.
constexpr int kOldestCuda = 12000;
// CUresult.
constexpr int kCudaSuccess = 0;
constexpr int kCudaNoDevice = 100;
constexpr int kCudaDriverMismatch = 803;

constexpr char kNoDevice[] =
    "the NVIDIA driver is there, but shows this process no device; ask for "
    "one (docker run --gpus all; nvidia.com/gpu in a pod), and see that "
    "CUDA_VISIBLE_DEVICES does not hide it";

// What is called of the driver's library. It stays loaded: TensorFlow may use
// it too.
class Driver {
 public:
  explicit Driver(const std::string& library)
      : handle_(dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) {}

  bool loaded() const { return handle_ != nullptr; }
  int Init() const { return Call<unsigned int>("cuInit", 0); }
  // 0 when it does not say.
  int Version() const { return Ask("cuDriverGetVersion"); }
  int DeviceCount() const { return Ask("cuDeviceGetCount"); }

 private:
  static constexpr int kNoSuchFunction = -1;

  template <typename Argument>
  int Call(const char* name, Argument argument) const {
    using Function = int (*)(Argument);
    const auto function = reinterpret_cast<Function>(dlsym(handle_, name));
    return function == nullptr ? kNoSuchFunction : function(argument);
  }

  int Ask(const char* name) const {
    int answer = 0;
    return Call<int*>(name, &answer) == kCudaSuccess ? answer : 0;
  }

  void* const handle_;
};

std::string CudaName(int version) {
  return absl::StrFormat("CUDA %d.%d", version / 1000, version % 1000 / 10);
}

std::string WhyRefused(int result) {
  if (result == kCudaNoDevice) return kNoDevice;
  if (result == kCudaDriverMismatch) {
    return "the NVIDIA driver's library and its kernel module are of different "
           "versions; restart the node after an update of the driver";
  }
  return absl::StrCat("the NVIDIA driver refuses with CUDA error ", result,
                      "; nvidia-smi on the node says more");
}

}  // namespace

std::string WhyNoCuda(const std::string& library) {
  const Driver driver(library);
  if (!driver.loaded()) {
    return absl::StrCat(
        "there is no NVIDIA driver: ", library,
        " is not found; run it on a node that has one, with NVIDIA's container "
        "runtime (docker run --gpus all; nvidia.com/gpu in a pod)");
  }
  const int version = driver.Version();
  if (version < kOldestCuda) {
    return absl::StrCat("the NVIDIA driver is too old: it runs ",
                        CudaName(version), ", and TensorFlow needs ",
                        CudaName(kOldestCuda), " (driver 525) or later");
  }
  const int result = driver.Init();
  if (result != kCudaSuccess) return WhyRefused(result);
  return driver.DeviceCount() > 0 ? "" : kNoDevice;
}

}  // namespace rekindle

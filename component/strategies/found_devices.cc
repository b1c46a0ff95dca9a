#include "component/strategies/found_devices.h"

#include <cstddef>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "component/contract/executor_error.h"
#include "component/strategies/cuda_driver.h"
#include "tensorflow/core/framework/device_factory.h"

namespace rekindle {
namespace {

using tensorflow::DeviceFactory;

// "NVIDIA A100 (compute capability 8.0)", as far as the device says so.
std::string NameOfGpu(DeviceFactory& factory, int index) {
  std::unordered_map<std::string, std::string> details;
  if (!factory.GetDeviceDetails(index, &details).ok()) details.clear();
  const std::string name = details["device_name"];
  const std::string capability = details["compute_capability"];
  return absl::StrCat(name.empty() ? "of unknown make" : name,
                      capability.empty() ? ""
                                         : absl::StrCat(" (compute capability ",
                                                        capability, ")"));
}

std::vector<std::string> NamesOfGpus(DeviceFactory& factory) {
  std::vector<std::string> listed;
  if (!factory.ListPhysicalDevices(&listed).ok()) return {};
  std::vector<std::string> names;
  for (size_t i = 0; i < listed.size(); ++i) {
    names.push_back(NameOfGpu(factory, static_cast<int>(i)));
  }
  return names;
}

std::string WhyTensorFlowSeesNone() {
  const std::string why = WhyNoCuda();
  return why.empty() ? "the driver shows one, but TensorFlow cannot use it; "
                       "TF_CPP_MIN_LOG_LEVEL=0 makes it say why"
                     : why;
}

}  // namespace

FoundDevices FindDevices() {
  FoundDevices found;
  found.cpu_cores = static_cast<int>(std::thread::hardware_concurrency());
  DeviceFactory* factory = DeviceFactory::GetFactory("GPU");
  if (factory == nullptr) {
    found.why_no_gpu = "this TensorFlow is built without CUDA";
    return found;
  }
  found.gpus = NamesOfGpus(*factory);
  if (found.gpus.empty()) found.why_no_gpu = WhyTensorFlowSeesNone();
  return found;
}

std::string DevicesLine(const FoundDevices& found) {
  std::string line = absl::StrCat("devices found: ", found.cpu_cores,
                                  " CPU core", found.cpu_cores == 1 ? "" : "s");
  for (size_t i = 0; i < found.gpus.size(); ++i) {
    absl::StrAppend(&line, "; GPU ", i, ": ", found.gpus[i]);
  }
  if (found.gpus.empty()) {
    absl::StrAppend(&line, "; no GPU (", found.why_no_gpu, ")");
  }
  return line;
}

absl::Status CheckHasGpu(const FoundDevices& found) {
  if (!found.gpus.empty()) return absl::OkStatus();
  return WithReasonWord(
      "NO_GPU", absl::FailedPreconditionError(absl::StrCat(
                    "a GPU is required, and none was found: ", found.why_no_gpu,
                    "; without --require-gpu it trains on "
                    "the CPU")));
}

}  // namespace rekindle

#include "component/strategies/devices.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "rekindle/training/experiment_config.h"
#include "tensorflow/core/framework/device_factory.h"

namespace rekindle {
namespace {

// TensorFlow makes threads for each.
constexpr int64_t kMostDevices = 64;

absl::Status CheckCount(const std::string& name, int64_t count) {
  if (count >= 0 && count <= kMostDevices) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "runtime.", name, " is ", count, ", expected 0 to ", kMostDevices));
}

absl::Status CheckCounts(const RuntimeConfig& runtime) {
  RK_RETURN_IF_ERROR(CheckCount("num_gpus", runtime.num_gpus));
  RK_RETURN_IF_ERROR(CheckCount("num_virtual_cpus", runtime.num_virtual_cpus));
  if (runtime.num_gpus == 0 || runtime.num_virtual_cpus == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("runtime.num_gpus is ", runtime.num_gpus,
                   " and runtime.num_virtual_cpus is ",
                   runtime.num_virtual_cpus, "; set only one of them"));
}

}  // namespace

std::vector<std::string> DevicePlan::Names(const std::string& prefix) const {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    names.push_back(
        absl::StrCat(prefix, "/device:", gpus ? "GPU" : "CPU", ":", i));
  }
  return names;
}

int CountGpus() {
  tensorflow::DeviceFactory* factory =
      tensorflow::DeviceFactory::GetFactory("GPU");
  std::vector<std::string> found;
  if (factory == nullptr || !factory->ListPhysicalDevices(&found).ok()) {
    return 0;
  }
  return static_cast<int>(found.size());
}

absl::StatusOr<DevicePlan> PlanDevices(const RuntimeConfig& runtime,
                                       int gpus_found) {
  RK_RETURN_IF_ERROR(CheckCounts(runtime));
  if (runtime.num_gpus == 0) {
    const auto cpus = static_cast<int>(runtime.num_virtual_cpus);
    return DevicePlan{.count = std::max(cpus, 1), .note = ""};
  }
  if (gpus_found == 0) {
    return DevicePlan{.note =
                          absl::StrCat("runtime.num_gpus is ", runtime.num_gpus,
                                       ", but no GPU was found")};
  }
  if (runtime.num_gpus > gpus_found) {
    return absl::InvalidArgumentError(
        absl::StrCat("runtime.num_gpus is ", runtime.num_gpus,
                     ", but this machine has ", gpus_found));
  }
  return DevicePlan{
      .gpus = true, .count = static_cast<int>(runtime.num_gpus), .note = ""};
}

}  // namespace rekindle

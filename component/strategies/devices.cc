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

absl::StatusOr<RuntimeConfig> WithGpus(RuntimeConfig runtime, int gpus_found) {
  if (runtime.num_virtual_cpus > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("runtime.num_virtual_cpus is ", runtime.num_virtual_cpus,
                     ", but a GPU is required; set only one of the two"));
  }
  if (runtime.num_gpus == 0) {
    runtime.num_gpus =
        runtime.distribution_strategy == "one_device" ? 1 : gpus_found;
  }
  return runtime;
}

}  // namespace rekindle

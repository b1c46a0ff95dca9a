#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/strategies/devices.h"
#include "component/strategies/found_devices.h"
#include "component/strategies/local_strategy.h"
#include "component/strategies/multi_worker_strategy.h"
#include "component/strategies/session_config.h"
#include "component/strategies/tf_config.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/strategy.h"
#include "tensorflow/core/protobuf/config.pb.h"

namespace rekindle {
namespace {

constexpr char kOneDevice[] = "one_device";
constexpr char kMirrored[] = "mirrored";
constexpr char kMultiWorker[] = "multi_worker_mirrored";

// Why a strategy of Model Garden cannot be had here; empty for one that can.
std::string WhyRefused(const std::string& name) {
  if (name == "parameter_server") return "parameter servers are not supported";
  if (name == "tpu") return "TPUs are not supported";
  if (name == "off") return "it is called one_device";
  return "";
}

absl::Status CheckName(const std::string& name) {
  const std::vector<std::string> known = {kOneDevice, kMirrored, kMultiWorker};
  for (const std::string& one : known) {
    if (name == one) return absl::OkStatus();
  }
  const std::string why = WhyRefused(name);
  const std::optional<std::string> nearest = NearestName(name, known);
  return absl::InvalidArgumentError(absl::StrCat(
      "runtime.distribution_strategy is '", name, "'; ",
      !why.empty() ? why
      : nearest    ? absl::StrCat("did you mean '", *nearest, "'?")
                   : absl::StrCat("there are ", absl::StrJoin(known, ", "))));
}

absl::Status CheckOneDevice(const DevicePlan& devices) {
  if (devices.count == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("runtime.distribution_strategy is 'one_device', but ",
                   devices.count, " devices are asked for; use 'mirrored'"));
}

// What was asked for and cannot be had on the devices there are.
std::string Notes(const RuntimeConfig& runtime, const DevicePlan& devices) {
  std::vector<std::string> notes;
  if (!devices.note.empty()) notes.push_back(devices.note);
  const std::string dtype = runtime.mixed_precision_dtype.value_or("float32");
  if (runtime.enable_xla && !devices.gpus) {
    notes.emplace_back("enable_xla is for GPUs and not used");
  }
  if ((dtype == "float16" && !devices.gpus) ||
      (dtype == "bfloat16" && devices.gpus)) {
    notes.push_back(absl::StrCat("mixed_precision_dtype ", dtype, " is for ",
                                 devices.gpus ? "CPUs" : "GPUs",
                                 " and not used"));
  }
  return notes.empty() ? ""
                       : absl::StrCat(" (", absl::StrJoin(notes, "; "), ")");
}

std::string Describe(const RuntimeConfig& runtime, const DevicePlan& devices) {
  const bool mirrored = runtime.distribution_strategy != kOneDevice;
  return absl::StrCat(mirrored ? "Using MirroredStrategy with devices ('"
                               : "Using OneDeviceStrategy with device ('",
                      absl::StrJoin(devices.Names(), "', '"), "')",
                      Notes(runtime, devices));
}

// The settings as they are used on the devices that were found.
absl::StatusOr<RuntimeConfig> OnFoundDevices(const RuntimeConfig& runtime,
                                             const FoundDevices& found,
                                             bool require_gpu) {
  if (!require_gpu) return runtime;
  RK_RETURN_IF_ERROR(CheckHasGpu(found));
  return WithGpus(runtime, static_cast<int>(found.gpus.size()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(
    const RuntimeConfig& runtime, const std::string& tf_config,
    const StrategyOptions& options) {
  const std::string& name = runtime.distribution_strategy;
  RK_RETURN_IF_ERROR(CheckName(name));
  RK_ASSIGN_OR_RETURN(const Cluster cluster, ParseTfConfig(tf_config));
  const FoundDevices found = FindDevices();
  RK_ASSIGN_OR_RETURN(const RuntimeConfig used,
                      OnFoundDevices(runtime, found, options.require_gpu));
  RK_ASSIGN_OR_RETURN(const DevicePlan devices,
                      PlanDevices(used, static_cast<int>(found.gpus.size())));
  RK_ASSIGN_OR_RETURN(tensorflow::ConfigProto config,
                      MakeSessionConfig(used, devices));
  if (name == kOneDevice) RK_RETURN_IF_ERROR(CheckOneDevice(devices));
  if (cluster.workers.size() > 1) {
    if (name == kOneDevice) {
      return absl::InvalidArgumentError(absl::StrCat(
          "runtime.distribution_strategy is 'one_device', but TF_CONFIG has ",
          cluster.workers.size(), " workers; use 'multi_worker_mirrored'"));
    }
    return MultiWorkerStrategy::Start(cluster, devices, config, options);
  }
  return std::make_unique<LocalStrategy>(Describe(used, devices),
                                         devices.Names(), std::move(config));
}

}  // namespace rekindle

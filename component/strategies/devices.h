// Internal to component/strategies.
#ifndef REKINDLE_COMPONENT_STRATEGIES_DEVICES_H_
#define REKINDLE_COMPONENT_STRATEGIES_DEVICES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/experiment_config.h"

namespace rekindle {

// The devices that one process trains on. A plain value.
struct DevicePlan {
  bool gpus = false;  // or CPUs
  int count = 1;
  std::string note;  // why they are others than asked for; empty: they are not

  // "/device:CPU:0", ..., each behind `prefix`.
  std::vector<std::string> Names(const std::string& prefix = "") const;
};

// The devices that `runtime` asks for, on a machine with `gpus_found` GPUs.
// Where there is none at all, the CPU.
//
//   INVALID_ARGUMENT  a number is negative, both kinds are asked for, or there
//                     are fewer GPUs than asked for
absl::StatusOr<DevicePlan> PlanDevices(const RuntimeConfig& runtime,
                                       int gpus_found);

// `runtime` with the GPUs that one is to use who may not use the CPU: as many
// as it names; else all that were found, or one for one device.
//
//   INVALID_ARGUMENT  it asks for CPUs
absl::StatusOr<RuntimeConfig> WithGpus(RuntimeConfig runtime, int gpus_found);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_DEVICES_H_

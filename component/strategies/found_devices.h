#ifndef REKINDLE_COMPONENT_STRATEGIES_FOUND_DEVICES_H_
#define REKINDLE_COMPONENT_STRATEGIES_FOUND_DEVICES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace rekindle {

// What this machine has to train on, as TensorFlow sees it. A plain value.
struct FoundDevices {
  int cpu_cores = 0;
  std::vector<std::string> gpus = {};  // "NVIDIA A100 (compute capability 8.0)"
  std::string why_no_gpu = "";         // empty when there is one
};

FoundDevices FindDevices();

// "devices found: 8 CPU cores; no GPU (this TensorFlow is built without CUDA)".
std::string DevicesLine(const FoundDevices& found);

// What --require-gpu asks.
//
//   FAILED_PRECONDITION  NO_GPU: there is none (why)
absl::Status CheckHasGpu(const FoundDevices& found);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_FOUND_DEVICES_H_

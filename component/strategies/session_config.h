#ifndef REKINDLE_COMPONENT_STRATEGIES_SESSION_CONFIG_H_
#define REKINDLE_COMPONENT_STRATEGIES_SESSION_CONFIG_H_

#include <memory>

#include "absl/status/statusor.h"
#include "component/strategies/devices.h"
#include "rekindle/training/experiment_config.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session.h"
#include "tensorflow/core/public/session_options.h"

namespace rekindle {

// How a session on these devices is to run: which devices it sees, GPU memory
// that grows with the need (unless TF_FORCE_GPU_ALLOW_GROWTH is false), XLA for
// GPUs, mixed precision.
//
//   INVALID_ARGUMENT  there is no such mixed_precision_dtype, or there is a
//                     loss_scale
absl::StatusOr<tensorflow::ConfigProto> MakeSessionConfig(
    const RuntimeConfig& runtime, const DevicePlan& devices);

// Whether a step of that many weights times examples is so short that handing
// its operations to threads takes longer than they do.
bool RunsFastestOnOneThread(double work_per_step);

// Makes a session use the caller's thread alone. For one CPU only.
void UseOneThread(tensorflow::ConfigProto* config);

// Makes a session run its graph as it is, unless it must be rewritten for mixed
// precision. TensorFlow's rewriting takes ten milliseconds or more for each
// callable, and does not make a step that runs on one thread faster.
void KeepGraph(tensorflow::ConfigProto* config);

//   INTERNAL  TensorFlow cannot open it
absl::StatusOr<std::unique_ptr<tensorflow::Session>> OpenNewSession(
    const tensorflow::SessionOptions& options);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_SESSION_CONFIG_H_

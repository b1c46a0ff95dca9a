#include "component/strategies/session_config.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/strategies/devices.h"
#include "rekindle/training/experiment_config.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/protobuf/rewriter_config.pb.h"
#include "tensorflow/core/public/session.h"
#include "tensorflow/core/public/session_options.h"

namespace rekindle {
namespace {

using ::tensorflow::ConfigProto;
using ::tensorflow::OptimizerOptions;
using ::tensorflow::RewriterConfig;

// docs/distributed.md has the measurement: on two cores a step of three dense
// layers takes the same time either way at about ten million.
constexpr double kLargestOneThreadWork = 5e6;

bool MemoryGrows() {
  const char* value = std::getenv("TF_FORCE_GPU_ALLOW_GROWTH");
  return value == nullptr || std::string_view(value) != "false";
}

absl::Status CheckPrecision(const RuntimeConfig& runtime) {
  if (runtime.loss_scale.has_value()) {
    return absl::InvalidArgumentError(
        "runtime.loss_scale is not supported; mixed_precision_dtype bfloat16 "
        "needs none");
  }
  const std::string dtype = runtime.mixed_precision_dtype.value_or("float32");
  if (dtype == "float32" || dtype == "float16" || dtype == "bfloat16") {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("runtime.mixed_precision_dtype is '", dtype,
                   "', expected float32, float16 or bfloat16"));
}

// Lets TensorFlow rewrite what gains by it; variables stay float32. float16 is
// for GPUs: CPUs do not compute in it.
void SetPrecision(const RuntimeConfig& runtime, bool gpus,
                  RewriterConfig* rewriter) {
  const std::string dtype = runtime.mixed_precision_dtype.value_or("float32");
  if (dtype == "float16" && gpus) {
    rewriter->set_auto_mixed_precision(RewriterConfig::ON);
  }
  if (dtype == "bfloat16" && !gpus) {
    rewriter->set_auto_mixed_precision_onednn_bfloat16(RewriterConfig::ON);
  }
}

}  // namespace

absl::StatusOr<ConfigProto> MakeSessionConfig(const RuntimeConfig& runtime,
                                              const DevicePlan& devices) {
  RK_RETURN_IF_ERROR(CheckPrecision(runtime));
  ConfigProto config;
  (*config.mutable_device_count())["CPU"] = devices.gpus ? 1 : devices.count;
  (*config.mutable_device_count())["GPU"] = devices.gpus ? devices.count : 0;
  config.mutable_gpu_options()->set_allow_growth(MemoryGrows());
  // Sums and other operations without a kernel for a GPU go to the CPU.
  config.set_allow_soft_placement(true);
  if (runtime.enable_xla && devices.gpus) {
    config.mutable_graph_options()
        ->mutable_optimizer_options()
        ->set_global_jit_level(OptimizerOptions::ON_1);
  }
  SetPrecision(runtime, devices.gpus,
               config.mutable_graph_options()->mutable_rewrite_options());
  return config;
}

bool RunsFastestOnOneThread(double work_per_step) {
  return work_per_step <= kLargestOneThreadWork;
}

void UseOneThread(ConfigProto* config) {
  config->set_intra_op_parallelism_threads(1);
  config->set_inter_op_parallelism_threads(1);
  config->mutable_experimental()->set_executor_type("SINGLE_THREADED_EXECUTOR");
}

void KeepGraph(ConfigProto* config) {
  RewriterConfig& rewriter =
      *config->mutable_graph_options()->mutable_rewrite_options();
  rewriter.set_disable_meta_optimizer(
      rewriter.auto_mixed_precision() != RewriterConfig::ON &&
      rewriter.auto_mixed_precision_onednn_bfloat16() != RewriterConfig::ON);
}

absl::StatusOr<std::unique_ptr<tensorflow::Session>> OpenNewSession(
    const tensorflow::SessionOptions& options) {
  tensorflow::Session* session = nullptr;
  const absl::Status made = tensorflow::NewSession(options, &session);
  if (made.ok()) return std::unique_ptr<tensorflow::Session>(session);
  return absl::InternalError(
      absl::StrCat("TensorFlow cannot open a session: ", made.message()));
}

}  // namespace rekindle

#include "component/strategies/local_strategy.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "component/strategies/gradient_sum.h"
#include "component/strategies/session_config.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/step_graph.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session.h"
#include "tensorflow/core/public/session_options.h"

namespace rekindle {

LocalStrategy::LocalStrategy(std::string description,
                             std::vector<std::string> devices,
                             tensorflow::ConfigProto config)
    : description_(std::move(description)),
      devices_(std::move(devices)),
      config_(std::move(config)) {}

absl::StatusOr<std::unique_ptr<tensorflow::Session>> LocalStrategy::OpenSession(
    double work_per_step) const {
  tensorflow::SessionOptions options;
  options.config = config_;
  // Copies between devices are made by other threads.
  const bool one_cpu =
      devices_.size() == 1 && config_.device_count().at("GPU") == 0;
  if (one_cpu && RunsFastestOnOneThread(work_per_step)) {
    UseOneThread(&options.config);
    KeepGraph(&options.config);
  }
  return OpenNewSession(options);
}

absl::StatusOr<std::vector<std::vector<Gradient>>> LocalStrategy::Reduce(
    const std::vector<StepGraph*>& replicas) const {
  RK_ASSIGN_OR_RETURN(
      const std::vector<Gradient> sums,
      SumOverReplicas(replicas.front()->scope().WithDevice(devices_.front()),
                      replicas));
  return std::vector<std::vector<Gradient>>(replicas.size(), sums);
}

}  // namespace rekindle

// Internal to component/strategies.
#ifndef REKINDLE_COMPONENT_STRATEGIES_MULTI_WORKER_STRATEGY_H_
#define REKINDLE_COMPONENT_STRATEGIES_MULTI_WORKER_STRATEGY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/strategies/devices.h"
#include "component/strategies/tf_config.h"
#include "rekindle/training/strategy.h"
#include "tensorflow/core/protobuf/config.pb.h"

namespace rekindle {

// One of several processes that train together. Each has a TensorFlow server of
// its own; they meet only to add up their gradients.
class MultiWorkerStrategy : public Strategy {
 public:
  // Starts this worker's server, which runs until the process ends. `config`
  // is that of its sessions.
  //
  //   UNAVAILABLE  the server cannot start
  static absl::StatusOr<std::unique_ptr<Strategy>> Start(
      const Cluster& cluster, const DevicePlan& devices,
      const tensorflow::ConfigProto& config, const StrategyOptions& options);

  std::string Description() const override;
  const std::vector<std::string>& devices() const override { return devices_; }
  int workers() const override {
    return static_cast<int>(cluster_.workers.size());
  }
  int worker() const override { return cluster_.worker; }
  // Waits for the other workers.
  absl::StatusOr<std::unique_ptr<tensorflow::Session>> OpenSession(
      double work_per_step) const override;
  absl::StatusOr<std::vector<std::vector<Gradient>>> Reduce(
      const std::vector<StepGraph*>& replicas) const override;
  absl::Status Finish() const override;

 private:
  MultiWorkerStrategy(Cluster cluster, std::vector<std::string> devices,
                      tensorflow::ConfigProto config, std::string target,
                      StrategyOptions options);

  const Cluster cluster_;
  const std::vector<std::string> devices_;
  const tensorflow::ConfigProto config_;
  const std::string target_;  // our server
  const StrategyOptions options_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_MULTI_WORKER_STRATEGY_H_

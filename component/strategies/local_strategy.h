// Internal to component/strategies.
#ifndef REKINDLE_COMPONENT_STRATEGIES_LOCAL_STRATEGY_H_
#define REKINDLE_COMPONENT_STRATEGIES_LOCAL_STRATEGY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/strategy.h"
#include "tensorflow/core/protobuf/config.pb.h"

namespace rekindle {

// One process and one device, or several that hold copies of the variables.
class LocalStrategy : public Strategy {
 public:
  // `config` is that of its sessions.
  LocalStrategy(std::string description, std::vector<std::string> devices,
                tensorflow::ConfigProto config);

  std::string Description() const override { return description_; }
  const std::vector<std::string>& devices() const override { return devices_; }
  int workers() const override { return 1; }
  int worker() const override { return 0; }
  absl::StatusOr<std::unique_ptr<tensorflow::Session>> OpenSession(
      double work_per_step) const override;
  absl::StatusOr<std::vector<std::vector<Gradient>>> Reduce(
      const std::vector<StepGraph*>& replicas) const override;

 private:
  const std::string description_;
  const std::vector<std::string> devices_;
  const tensorflow::ConfigProto config_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_LOCAL_STRATEGY_H_

#ifndef REKINDLE_TESTS_SIMULATION_SIMULATED_EXECUTOR_H_
#define REKINDLE_TESTS_SIMULATION_SIMULATED_EXECUTOR_H_

#include <string>

#include "absl/status/statusor.h"
#include "component/launch/step.h"
#include "tests/simulation/world.h"

namespace rekindle::simulation {

// How a child ends.
enum class Ending {
  kWell,
  kFailed,       // retrying will not help
  kInterrupted,  // it may
  kCancelled,
};

// A step's work: a child that is told what to do in a file, reads its inputs,
// continues what an earlier attempt left, writes its outputs and says in a file
// how it ended. What it writes is a function of what it reads. The child is a
// process of its own: it goes on while its step stands still, and may outlive
// it for a while.
class SimulatedExecutor : public Executor {
 public:
  // `world` is not owned and must outlive this.
  SimulatedExecutor(World& world, std::string v, Ending ending)
      : world_(world), v_(std::move(v)), ending_(ending) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override;

  int calls() const { return calls_; }

 private:
  World& world_;
  const std::string v_;
  const Ending ending_;
  int calls_ = 0;
};

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_SIMULATED_EXECUTOR_H_

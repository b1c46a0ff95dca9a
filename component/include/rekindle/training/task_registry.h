#ifndef REKINDLE_TRAINING_TASK_REGISTRY_H_
#define REKINDLE_TRAINING_TASK_REGISTRY_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

#include "absl/status/statusor.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/task.h"

namespace rekindle {

// What a task is told beside its settings.
struct TaskContext {
  std::string logging_dir;  // of the run, for files of the task's own
  int64_t seed = 0;         // of the run
};

using TaskFactory = std::function<absl::StatusOr<std::unique_ptr<Task>>(
    const TaskConfig& config, const TaskContext& context)>;

// Registers the task whose settings are of type `config`, for RegisterTask.
bool RegisterTaskFactory(const std::type_info& config, TaskFactory factory);

// Registers the task that is made from a ConfigT:
//
//   const bool registered = RegisterTask<PriceTaskConfig>(
//       [](const PriceTaskConfig& config, const TaskContext& context) {
//         return MakePriceTask(config, context.seed);
//       });
//
// Returns false when there is one already; then MakeTask says so.
template <std::derived_from<TaskConfig> ConfigT, typename Factory>
bool RegisterTask(Factory factory) {
  return RegisterTaskFactory(
      typeid(ConfigT),
      [factory = std::move(factory)](
          const TaskConfig& config,
          const TaskContext& context) -> absl::StatusOr<std::unique_ptr<Task>> {
        return factory(static_cast<const ConfigT&>(config), context);
      });
}

// Makes the task that is registered for the type of `config`, which must
// outlive it.
//
//   NOT_FOUND       no task is registered for that type
//   ALREADY_EXISTS  two are
absl::StatusOr<std::unique_ptr<Task>> MakeTask(const TaskConfig& config,
                                               const TaskContext& context);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_TASK_REGISTRY_H_

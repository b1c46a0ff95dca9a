#include "rekindle/training/task_registry.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

#include "base/status_macros.h"
#include "rekindle/training/registry.h"

namespace rekindle {
namespace {

Registry<TaskFactory>& Tasks() {
  static auto& tasks = *new Registry<TaskFactory>("task with settings of type");
  return tasks;
}

// As the source spells it: "mine::PriceTaskConfig".
std::string TypeName(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type.name();
}

}  // namespace

bool RegisterTaskFactory(const std::type_info& config, TaskFactory factory) {
  return Tasks().Register(TypeName(config), std::move(factory));
}

absl::StatusOr<std::unique_ptr<Task>> MakeTask(const TaskConfig& config,
                                               const TaskContext& context) {
  RK_ASSIGN_OR_RETURN(const TaskFactory factory,
                      Tasks().Find(TypeName(typeid(config))));
  return factory(config, context);
}

}  // namespace rekindle

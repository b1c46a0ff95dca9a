#include <memory>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "component/training/standard_trainer.h"
#include "rekindle/training/registry.h"
#include "rekindle/training/trainer.h"

namespace rekindle {
namespace {

Registry<TrainerFactory>& Trainers() {
  static auto& trainers = *new Registry<TrainerFactory>("trainer");
  return trainers;
}

}  // namespace

bool RegisterTrainer(const std::string& name, TrainerFactory factory) {
  return Trainers().Register(name, std::move(factory));
}

absl::StatusOr<std::unique_ptr<Trainer>> MakeTrainer(
    const TrainerParts& parts) {
  const std::string& name = parts.config->trainer.trainer;
  if (name.empty()) return MakeStandardTrainer(parts);
  RK_ASSIGN_OR_RETURN(const TrainerFactory factory, Trainers().Find(name));
  return factory(parts);
}

}  // namespace rekindle

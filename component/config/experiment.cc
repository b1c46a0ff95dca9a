#include "rekindle/training/experiment.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rekindle/training/registry.h"

namespace rekindle {
namespace {

// Made with its first use, which may be before main, and never destroyed.
Registry<Experiment>& Experiments() {
  static auto& experiments = *new Registry<Experiment>("experiment");
  return experiments;
}

}  // namespace

bool RegisterExperiment(const std::string& name, Experiment experiment) {
  return Experiments().Register(name, std::move(experiment));
}

absl::StatusOr<Experiment> FindExperiment(const std::string& name) {
  return Experiments().Find(name);
}

std::vector<std::string> ExperimentNames() { return Experiments().Names(); }

const ShortNames& CommonShortNames() {
  const std::string rate = "trainer.optimizer_config.learning_rate.";
  static const auto& names = *new ShortNames{
      {"train_steps", {"trainer.train_steps"}},
      {"checkpoint_interval", {"trainer.checkpoint_interval"}},
      {"max_to_keep", {"trainer.max_to_keep"}},
      {"log_interval", {"trainer.steps_per_loop", "trainer.summary_interval"}},
      {"seed", {"runtime.seed"}},
      {"allow_no_match", {"task.allow_no_match"}},
      {"batch_size",
       {"task.train_data.global_batch_size",
        "task.validation_data.global_batch_size"}},
      {"learning_rate",
       {absl::StrCat(rate, "constant.learning_rate"),
        absl::StrCat(rate, "exponential.initial_learning_rate"),
        absl::StrCat(rate, "polynomial.initial_learning_rate"),
        absl::StrCat(rate, "cosine.initial_learning_rate")}},
  };
  return names;
}

}  // namespace rekindle

#ifndef REKINDLE_COMPONENT_STEPS_TRAIN_H_
#define REKINDLE_COMPONENT_STEPS_TRAIN_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "nlohmann/json.hpp"
#include "tfx/trainer.pb.h"

namespace rekindle {

struct TrainOptions {
  ArtifactRef examples;
  ArtifactRef schema;
  ArtifactRef base_model;
  // Only recorded and handed on if they are named; then they must be there.
  ArtifactRef transform_graph;
  ArtifactRef hyperparameters;
  ArtifactRef statistics;
  tfx::components::trainer::TrainArgs train_args;
  tfx::components::trainer::EvalArgs eval_args;
  nlohmann::json custom_config;  // object or null

  std::string trainer_binary;
  std::string module_file;  // a user's own code for it; empty: none
  // For a module in Python, FILE.py: what runs it, where run_module.py is, and
  // which of its functions trains, "auto", "generic" or "estimator".
  std::string python = "python3";
  std::string python_library;
  std::string executor = "auto";
  // What else is made of the model, as Rewriting::rewrites; by `python` too.
  std::vector<std::string> rewrites;
  // Processes that train together, and how often they are started again when
  // one is lost; absent: one process.
  std::optional<int> workers;
  std::optional<int> worker_restarts;
  // Tries the model of a trainer that is another program.
  std::string validator_binary;
  bool skip_validation = false;  // no model is tried
  bool require_gpu = false;      // the CPU is refused
  absl::Duration grace = absl::Seconds(25);
  // Each line that the trainer prints.
  std::function<void(absl::string_view line)> on_line;
};

// Reads train or eval arguments from proto JSON, and refuses what cannot be
// trained with.
//
//   INVALID_ARGUMENT  not JSON of such arguments, or num_steps is negative
absl::StatusOr<tfx::components::trainer::TrainArgs> ParseTrainArgs(
    const std::string& json);
absl::StatusOr<tfx::components::trainer::EvalArgs> ParseEvalArgs(
    const std::string& json);

// TFX's Trainer: trains in a child process, from a base model if there is one,
// and puts out a `model` and a `model_run`. Fills in the execution type,
// inputs, outputs and parameters of `spec`.
std::unique_ptr<Executor> MakeTrain(TrainOptions options, StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_TRAIN_H_

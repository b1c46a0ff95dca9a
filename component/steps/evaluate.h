#ifndef REKINDLE_COMPONENT_STEPS_EVALUATE_H_
#define REKINDLE_COMPONENT_STEPS_EVALUATE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "component/contract/evaluation_input.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"
#include "tensorflow_model_analysis/proto/config.pb.h"

namespace rekindle {

struct EvaluateOptions {
  ArtifactRef model;
  ArtifactRef examples;
  ArtifactRef baseline_model;  // none is no error: there may be none yet
  ArtifactRef schema;          // only if it is named
  tensorflow_model_analysis::EvalConfig config;
  std::vector<std::string> splits;  // empty: "eval"
  PredictionKind prediction_kind = PredictionKind::kAuto;

  std::string trainer_binary;
  absl::Duration grace = absl::Seconds(25);
  // Each line that the child prints.
  std::function<void(absl::string_view line)> on_line;
};

// TFX's Evaluator: measures a model, and a baseline if there is one, over a
// split and its slices in a child process, and puts out an `evaluation` and a
// `blessing`. That a model is not blessed is an answer, not an error. Fills in
// the execution type, inputs, outputs and parameters of `spec`.
//
//   INVALID_ARGUMENT  the config asks for what is not supported
absl::StatusOr<std::unique_ptr<Executor>> MakeEvaluate(EvaluateOptions options,
                                                       StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_EVALUATE_H_

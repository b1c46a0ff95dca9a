#ifndef REKINDLE_COMPONENT_BLESSING_EVALUATION_FILES_H_
#define REKINDLE_COMPONENT_BLESSING_EVALUATION_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "component/blessing/judge.h"
#include "component/contract/evaluation_output.h"
#include "tensorflow_model_analysis/proto/config.pb.h"
#include "tensorflow_model_analysis/proto/metrics_for_slice.pb.h"
#include "tensorflow_model_analysis/proto/validation_result.pb.h"

namespace rekindle {

// What a ModelEvaluation artifact holds. A plain value.
struct Evaluation {
  tensorflow_model_analysis::EvalConfig config;
  std::vector<ModelMetrics> models;  // the candidate, and perhaps the baseline
  Judgement judgement;
  std::string data_location;
  std::map<std::string, std::string> model_locations;  // by name
};

// The metrics of all models by slice. With two models the difference between
// them is a metric, too.
std::vector<tensorflow_model_analysis::MetricsForSlice> MetricsBySlice(
    const std::vector<ModelMetrics>& models);

// The bounds that were not kept.
tensorflow_model_analysis::ValidationResult ToValidationResult(
    const Evaluation& evaluation);

// Writes into `folder` the files that TensorFlow Model Analysis reads
// (eval_config.json, metrics-00000-of-00001.tfrecord, validations.tfrecord)
// and, for people, metrics.json.
//
//   UNAVAILABLE, RESOURCE_EXHAUSTED  they cannot be written
absl::Status WriteEvaluation(const Evaluation& evaluation,
                             const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_BLESSING_EVALUATION_FILES_H_

#ifndef REKINDLE_COMPONENT_BLESSING_EVAL_CONFIG_H_
#define REKINDLE_COMPONENT_BLESSING_EVAL_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/blessing/bound.h"
#include "component/contract/slices.h"
#include "tensorflow_model_analysis/proto/config.pb.h"

namespace rekindle {

// What an EvalConfig of TensorFlow Model Analysis asks for. A plain value.
struct EvaluationPlan {
  std::string label_key;
  std::string signature = "serving_default";
  std::string prediction_key;     // empty: found out
  std::vector<SliceSpec> slices;  // without that of all examples
  std::vector<Bound> bounds;
};

// Reads an EvalConfig. What it asks for and we do not do is refused by name,
// never passed over.
//
//   INVALID_ARGUMENT  it names no label, or something that is not supported
absl::StatusOr<EvaluationPlan> ReadEvalConfig(
    const tensorflow_model_analysis::EvalConfig& config);

// Adds a bound or a slice to a config, as ReadEvalConfig reads it.
void AddBound(const Bound& bound,
              tensorflow_model_analysis::EvalConfig& config);
void AddSlice(const SliceSpec& slice,
              tensorflow_model_analysis::EvalConfig& config);

tensorflow_model_analysis::SlicingSpec ToProto(const SliceSpec& slice);
tensorflow_model_analysis::MetricThreshold ToProto(const Bound& bound);

// The config as it is evaluated: without an explicit one the examples are one
// slice and are counted, and with a baseline there are two models, named.
tensorflow_model_analysis::EvalConfig WithDefaults(
    tensorflow_model_analysis::EvalConfig config, bool has_baseline);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_BLESSING_EVAL_CONFIG_H_

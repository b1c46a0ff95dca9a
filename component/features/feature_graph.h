#ifndef REKINDLE_COMPONENT_FEATURES_FEATURE_GRAPH_H_
#define REKINDLE_COMPONENT_FEATURES_FEATURE_GRAPH_H_

#include <map>
#include <optional>
#include <string>

#include "component/features/feature_spec.h"
#include "rekindle/training/tensors.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// The values of one feature of n examples inside a graph, of its stored type
// (float, int64, string), in one of three forms:
//   dense    `values` [n], [n, 1] or [n, width]; only NaN is missing
//   sparse   `values` [m] and `indices` int64 [m, 2], as a SparseTensor has
//            them: rows without a value are missing; `dense_shape` int64 [2]
//            where it is known
//   ragged   `values` [m] and `row_splits` int64 [n + 1]
struct RawFeature {
  tensorflow::Output values;
  std::optional<tensorflow::Output> indices;
  std::optional<tensorflow::Output> row_splits;
  std::optional<tensorflow::Output> dense_shape;
};
using RawFeatures = std::map<std::string, RawFeature>;

// Adds nodes that parse `serialized`, tf.Examples [n].
RawFeatures ParseExamples(const tensorflow::Scope& scope,
                          const FeatureSpec& features,
                          const tensorflow::Output& serialized);

// Adds nodes that give, by name, the tensors of a batch (BatchTensors) that
// training's reader gives for the same examples. `raw` has every feature of
// `features`, and the label if they have one; `examples` is n, an int64 scalar.
NamedOutputs EncodeFeatures(const tensorflow::Scope& scope,
                            const FeatureSpec& features, const RawFeatures& raw,
                            const tensorflow::Output& examples);

// Both: the batch of `serialized`.
NamedOutputs EncodeExamples(const tensorflow::Scope& scope,
                            const FeatureSpec& features,
                            const tensorflow::Output& serialized);

// Adds a placeholder for each feature (dense [n] or [n, width] by its name; a
// multivalent one ragged, by its name and NAME/row_splits) and the batch they
// make: the inputs of a signature that takes raw tensors.
struct RawInputs {
  NamedOutputs placeholders;
  NamedOutputs batch;
};
RawInputs AddRawInputs(const tensorflow::Scope& scope,
                       const FeatureSpec& features);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_FEATURES_FEATURE_GRAPH_H_

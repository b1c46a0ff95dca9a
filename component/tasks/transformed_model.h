#ifndef REKINDLE_COMPONENT_TASKS_TRANSFORMED_MODEL_H_
#define REKINDLE_COMPONENT_TASKS_TRANSFORMED_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "component/features/feature_graph.h"
#include "component/features/feature_spec.h"
#include "component/tasks/tabular_model.h"
#include "component/transform/transform_graph.h"
#include "rekindle/training/model.h"
#include "rekindle/training/signature.h"

namespace rekindle {

// A tabular model of transformed features that serves raw ones: a SavedModel of
// it has the transform graph before the network.
//
//   serving_default      `examples`: serialized raw tf.Examples, which need
//                        have only what the model's features are made of
//   serving_raw          the same features as tensors, by name; a sparse one as
//                        NAME and NAME/row_splits
//   serving_transformed  `examples`: serialized transformed tf.Examples, as in
//                        training
//   transform_features   `examples`: serialized raw tf.Examples with all
//                        features, the label among them; gives all transformed
//                        features by name, a sparse one as NAME/indices,
//                        NAME/values and NAME/dense_shape
class TransformedModel final : public Model {
 public:
  // `features` have a label; every one is an output of `transform`.
  TransformedModel(FeatureSpec features,
                   const TabularArchitecture& architecture,
                   std::shared_ptr<const TransformGraph> transform);

  const std::vector<VariableSpec>& variables() const override {
    return model_.variables();
  }
  NamedTensors InitialValues(uint64_t seed) const override {
    return model_.InitialValues(seed);
  }
  NamedOutputs Call(GraphBuilder& graph, const NamedOutputs& inputs,
                    bool training) const override {
    return model_.Call(graph, inputs, training);
  }
  double WorkPerExample() const override { return model_.WorkPerExample(); }
  VariableAxes axes() const override { return model_.axes(); }
  std::map<std::string, ModelSignature> Signatures(
      ServingGraph& graph) const override;
  std::string TrainedSignature() const override { return kServingTransformed; }
  std::vector<std::string> ServingExamples() const override;

 private:
  std::map<std::string, SignatureTensor> Answers(
      GraphBuilder& graph, const RawFeatures& transformed,
      const tensorflow::Output& examples) const;

  const TabularModel model_;
  const std::shared_ptr<const TransformGraph> transform_;
  const TransformTensors served_;  // the raw features it serves
};

// What the features of a model are called in a transform graph: all but the
// label.
std::set<std::string> FeatureNames(const FeatureSpec& features);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_TRANSFORMED_MODEL_H_

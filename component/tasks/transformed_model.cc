#include "component/tasks/transformed_model.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "component/features/feature_graph.h"
#include "component/transform/raw_inputs.h"
#include "component/transform/transform_nodes.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;

TransformTensors ServedInputs(const TransformGraph& transform,
                              const FeatureSpec& features) {
  TransformTensors served;
  for (const std::string& name : transform.InputsOf(FeatureNames(features))) {
    served[name] = transform.inputs.at(name);
  }
  return served;
}

// A placeholder for serialized examples, and how many they are.
struct Serialized {
  explicit Serialized(const Scope& scope)
      : examples(ops::Placeholder(scope.WithOpName("raw_examples"),
                                  tensorflow::DT_STRING,
                                  ops::Placeholder::Shape({-1}))),
        size(ops::Size(scope, examples,
                       ops::Size::OutType(tensorflow::DT_INT64))) {}

  std::map<std::string, SignatureTensor> Inputs() const {
    return {{"examples", {examples, {-1}}}};
  }

  Output examples;
  Output size;
};

std::map<std::string, SignatureTensor> FeatureOutputs(
    const RawFeatures& features, const TransformTensors& described) {
  std::map<std::string, SignatureTensor> outputs;
  for (const auto& [name, feature] : features) {
    if (!feature.indices.has_value()) {
      outputs[name] = {feature.values, described.at(name).shape};
      continue;
    }
    outputs[absl::StrCat(name, "/indices")] = {*feature.indices, {-1, 2}};
    outputs[absl::StrCat(name, "/values")] = {feature.values, {-1}};
    outputs[absl::StrCat(name, "/dense_shape")] = {*feature.dense_shape, {2}};
  }
  return outputs;
}

}  // namespace

std::set<std::string> FeatureNames(const FeatureSpec& features) {
  std::set<std::string> names;
  for (const NumericFeature& feature : features.numeric) {
    names.insert(feature.name);
  }
  for (const auto* list : {&features.categorical, &features.multivalent}) {
    for (const CategoricalFeature& feature : *list) names.insert(feature.name);
  }
  return names;
}

TransformedModel::TransformedModel(
    FeatureSpec features, const TabularArchitecture& architecture,
    std::shared_ptr<const TransformGraph> transform)
    : model_(std::move(features), architecture),
      transform_(std::move(transform)),
      served_(ServedInputs(*transform_, model_.features())) {}

std::map<std::string, ModelSignature> TransformedModel::Signatures(
    ServingGraph& graph) const {
  const Scope& scope = graph.scope();
  TransformNodes transform(*transform_, graph);
  const Serialized whole(scope);
  const RawFeatures all = transform.Apply(
      ParseRawExamples(scope, transform_->inputs, whole.examples), whole.size);
  const Serialized served(scope);
  const RawFeatures of_examples = transform.Apply(
      ParseRawExamples(scope, served_, served.examples), served.size);
  RawPlaceholders raw = AddRawPlaceholders(scope.NewSubScope("raw"), served_);
  const RawFeatures of_tensors = transform.Apply(raw.features, raw.examples);
  if (!scope.ok()) return {};
  return {{kServingDefault,
           {.inputs = served.Inputs(),
            .outputs = Answers(graph, of_examples, served.size)}},
          {"serving_raw",
           {.inputs = std::move(raw.tensors),
            .outputs = Answers(graph, of_tensors, raw.examples)}},
          {kServingTransformed, model_.ExamplesSignature(graph)},
          {"transform_features",
           {.inputs = whole.Inputs(),
            .outputs = FeatureOutputs(all, transform_->outputs)}}};
}

std::map<std::string, SignatureTensor> TransformedModel::Answers(
    GraphBuilder& graph, const RawFeatures& transformed,
    const Output& examples) const {
  FeatureSpec features = model_.features();
  features.label.reset();
  return model_.Answers(
      graph, EncodeFeatures(graph.scope(), features, transformed, examples));
}

std::vector<std::string> TransformedModel::ServingExamples() const {
  return {EmptyRawExample(served_)};
}

}  // namespace rekindle

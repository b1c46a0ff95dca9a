#include "component/tasks/tabular_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "component/features/feature_graph.h"
#include "component/io/random_stream.h"
#include "component/io/string_tensor.h"
#include "component/tasks/feature_columns.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/nn_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

// Names of axes, also in sentences to the user.
constexpr char kNumericFeatures[] = "numeric features";
constexpr char kInputs[] = "inputs";
constexpr char kClasses[] = "classes";
// Keeps the streams of the weights apart from those of the epochs.
constexpr uint64_t kFirstWeightStream = uint64_t{1} << 63;
// Up to this many ids a feature is one-hot, unless it says otherwise.
constexpr int64_t kMostOneHot = 64;

// The size of an embedding that nobody chose.
int64_t EmbeddingDim(int64_t ids) {
  return std::lround(6 * std::pow(static_cast<double>(ids), 0.25));
}

std::string EmbeddingName(const CategoricalFeature& feature) {
  return absl::StrCat("embedding/", feature.name);
}
std::string WideName(const CategoricalFeature& feature) {
  return absl::StrCat("wide/", feature.name);
}
// Name of the axis of a feature's ids.
std::string IdsAxis(const CategoricalFeature& feature) {
  return absl::StrCat("values of '", feature.name, "'");
}

// What the ids of a feature stand for.
std::vector<std::string> IdNames(const CategoricalFeature& feature) {
  if (!feature.vocabulary.empty()) return feature.vocabulary;
  if (feature.hash_buckets > 0) {
    return {absl::StrCat("hash into ", feature.hash_buckets)};
  }
  std::vector<std::string> names;
  for (const float boundary : feature.boundaries) {
    names.push_back(absl::StrCat(boundary));
  }
  if (names.empty()) {
    names.push_back(absl::StrCat(feature.first_value, " and ",
                                 feature.range_size - 1, " more"));
  }
  return names;
}

std::vector<std::string> NumericNames(const FeatureSpec& features) {
  std::vector<std::string> names;
  for (const NumericFeature& feature : features.numeric) {
    for (int64_t i = 0; i < feature.width; ++i) {
      names.push_back(feature.width == 1
                          ? feature.name
                          : absl::StrCat(feature.name, "[", i, "]"));
    }
  }
  return names;
}

// What is there when a model serves.
FeatureSpec WithoutLabel(FeatureSpec features) {
  features.label.reset();
  return features;
}

// Uniform within Glorot's limit.
void FillGlorot(RandomStream random, Tensor* weights) {
  const auto fans =
      static_cast<double>(weights->dim_size(0) + weights->dim_size(1));
  const double limit = std::sqrt(6.0 / fans);
  auto flat = weights->flat<float>();
  for (int64_t i = 0; i < flat.size(); ++i) {
    flat(i) = static_cast<float>(limit * random.Symmetric());
  }
}

// A new variable's value: tables and biases differ from kernels.
Tensor InitialValue(const VariableSpec& spec, RandomStream random) {
  Tensor value(tensorflow::DT_FLOAT, spec.shape);
  auto flat = value.flat<float>();
  if (spec.name.starts_with("embedding/")) {
    for (int64_t i = 0; i < flat.size(); ++i) {
      flat(i) = static_cast<float>(0.05 * random.Symmetric());
    }
  } else if (spec.name.ends_with("/kernel")) {
    FillGlorot(random, &value);
  } else {
    flat.setConstant(spec.name == kVariance ? 1.0f : 0.0f);
  }
  return value;
}

// Matrices with as many rows each, side by side. TensorFlow's own operation
// does not take a single one.
Output JoinColumns(const Scope& scope, const std::vector<Output>& parts) {
  if (parts.size() == 1) return parts[0];
  return ops::Concat(scope, parts, 1);
}

// Normalised by the means and variances; a missing one counts as the mean.
Output Normalised(GraphBuilder& graph, const Output& numeric) {
  const Scope& scope = graph.scope();
  const Output centred = ops::Sub(scope, numeric, graph.Read(kMean));
  const Output scaled =
      ops::Mul(scope, centred, ops::Rsqrt(scope, graph.Read(kVariance)));
  return ops::SelectV2(scope, ops::IsNan(scope, numeric), 0.0f, scaled);
}

}  // namespace

TabularModel::TabularModel(FeatureSpec features,
                           const TabularArchitecture& architecture)
    : features_(std::move(features)), architecture_(architecture) {
  if (!features_.numeric.empty()) {
    const TensorShape shape({features_.numeric_width()});
    AddVariable({kMean, shape, false}, {kNumericFeatures});
    AddVariable({kVariance, shape, false}, {kNumericFeatures});
  }
  AddTables();
  AddAxes();
  AddLayers();
}

int64_t TabularModel::outputs() const {
  return features_.label->is_class()
             ? static_cast<int64_t>(features_.label->classes.size())
             : 1;
}

void TabularModel::AddVariable(VariableSpec spec,
                               std::vector<std::string> axes) {
  if (!axes.empty()) axes_.variables[spec.name] = std::move(axes);
  variables_.push_back(std::move(spec));
}

void TabularModel::AddTables() {
  for (const auto* list : {&features_.categorical, &features_.multivalent}) {
    for (const CategoricalFeature& feature : *list) {
      const int64_t ids = feature.ids();
      int64_t dim = feature.embedding_dim > 0 ? feature.embedding_dim
                                              : architecture_.embedding_dim;
      if (dim == 0 && ids > kMostOneHot) dim = EmbeddingDim(ids);
      tables_.push_back({&feature, dim});
      axes_.axes[IdsAxis(feature)] = IdNames(feature);
      if (dim > 0) {
        AddVariable({EmbeddingName(feature), TensorShape({ids + 1, dim})},
                    {IdsAxis(feature)});
      }
      if (architecture_.wide) {
        AddVariable({WideName(feature), TensorShape({ids + 1, outputs()})},
                    {IdsAxis(feature), kClasses});
      }
    }
  }
}

void TabularModel::AddAxes() {
  axes_.axes[kNumericFeatures] = NumericNames(features_);
  axes_.axes[kClasses] = features_.label->classes;
  std::vector<std::string>& inputs = axes_.axes[kInputs];
  inputs = axes_.axes[kNumericFeatures];
  for (const Table& table : tables_) {
    const std::string& name = table.feature->name;
    const std::vector<std::string>& ids = table.feature->vocabulary;
    const int64_t width = table.dim > 0 ? table.dim : table.feature->ids();
    for (int64_t i = 0; i < width; ++i) {
      inputs.push_back(table.dim == 0 && !ids.empty()
                           ? absl::StrCat(name, "=", ids[i])
                           : absl::StrCat(name, "[", i, "]"));
    }
  }
}

void TabularModel::AddLayers() {
  auto width = static_cast<int64_t>(axes_.axes[kInputs].size());
  const std::vector<int64_t>& hidden = architecture_.hidden_units;
  for (size_t layer = 0; layer <= hidden.size(); ++layer) {
    const bool last = layer == hidden.size();
    const int64_t units = last ? outputs() : hidden[layer];
    std::vector<std::string> kernel_axes;
    std::vector<std::string> bias_axes;
    if (layer == 0) kernel_axes.emplace_back(kInputs);
    if (last) {
      kernel_axes.emplace_back(kClasses);
      bias_axes.emplace_back(kClasses);
    }
    const std::string name = LayerName(layer);
    AddVariable({name + "/kernel", TensorShape({width, units})}, kernel_axes);
    AddVariable({name + "/bias", TensorShape({units})}, bias_axes);
    width = units;
  }
}

// As Keras names layers, and `logits` for the last.
std::string TabularModel::LayerName(size_t index) const {
  if (index == architecture_.hidden_units.size()) return "logits";
  return index == 0 ? "dense" : absl::StrCat("dense_", index);
}

NamedTensors TabularModel::InitialValues(uint64_t seed) const {
  NamedTensors values;
  for (size_t i = 0; i < variables_.size(); ++i) {
    values[variables_[i].name] =
        InitialValue(variables_[i], RandomStream(seed, kFirstWeightStream + i));
  }
  return values;
}

double TabularModel::WorkPerExample() const {
  double work = 0;
  for (const VariableSpec& spec : variables_) {
    const bool is_table =
        spec.name.starts_with("embedding/") || spec.name.starts_with("wide/");
    work += static_cast<double>(is_table ? spec.shape.dim_size(1)
                                         : spec.shape.num_elements());
  }
  return work;
}

NamedOutputs TabularModel::Call(GraphBuilder& graph, const NamedOutputs& inputs,
                                bool /*training*/) const {
  const Scope& scope = graph.scope();
  Output logits = Deep(graph, DeepInput(graph, inputs));
  if (architecture_.wide) logits = WithWide(graph, inputs, logits);
  if (!features_.label->is_class()) {
    return {
        {kPredictions, ops::Squeeze(scope, logits, ops::Squeeze::Axis({1}))}};
  }
  return {{kLogits, logits}, {kScores, ops::Softmax(scope, logits)}};
}

Output TabularModel::DeepInput(GraphBuilder& graph,
                               const NamedOutputs& inputs) const {
  std::vector<Output> parts;
  if (!features_.numeric.empty()) {
    parts.push_back(Normalised(graph, inputs.at(kNumericTensor)));
  }
  FeatureColumns columns(graph, features_, inputs);
  for (const Table& table : tables_) {
    parts.push_back(
        table.dim > 0
            ? columns.Embedded(*table.feature, EmbeddingName(*table.feature))
            : columns.OneHot(*table.feature));
  }
  return JoinColumns(graph.scope(), parts);
}

Output TabularModel::Deep(GraphBuilder& graph, Output layer) const {
  const Scope& scope = graph.scope();
  for (size_t i = 0; i <= architecture_.hidden_units.size(); ++i) {
    const std::string name = LayerName(i);
    layer = ops::MatMul(scope, layer, graph.Read(name + "/kernel"));
    layer = ops::BiasAdd(scope, layer, graph.Read(name + "/bias"));
    if (i < architecture_.hidden_units.size()) layer = ops::Relu(scope, layer);
  }
  return layer;
}

Output TabularModel::WithWide(GraphBuilder& graph, const NamedOutputs& inputs,
                              const Output& deep) const {
  std::vector<Output> parts = {deep};
  FeatureColumns columns(graph, features_, inputs);
  for (const Table& table : tables_) {
    parts.push_back(columns.Embedded(*table.feature, WideName(*table.feature)));
  }
  return parts.size() == 1 ? deep : ops::AddN(graph.scope(), parts).sum;
}

ModelSignature TabularModel::ExamplesSignature(GraphBuilder& graph) const {
  const Scope& scope = graph.scope();
  const Output examples =
      ops::Placeholder(scope.WithOpName("examples"), tensorflow::DT_STRING,
                       ops::Placeholder::Shape({-1}));
  return {.inputs = {{"examples", {examples, {-1}}}},
          .outputs = Answers(
              graph, EncodeExamples(scope, WithoutLabel(features_), examples))};
}

std::map<std::string, ModelSignature> TabularModel::Signatures(
    ServingGraph& graph) const {
  const RawInputs raw =
      AddRawInputs(graph.scope().NewSubScope("raw"), WithoutLabel(features_));
  ModelSignature of_tensors{.inputs = {}, .outputs = Answers(graph, raw.batch)};
  for (const auto& [name, placeholder] : raw.placeholders) {
    of_tensors.inputs[name] = {placeholder, {-1}};
  }
  return {{kServingDefault, ExamplesSignature(graph)},
          {"serving_raw", std::move(of_tensors)}};
}

std::map<std::string, SignatureTensor> TabularModel::Answers(
    GraphBuilder& graph, const NamedOutputs& batch) const {
  const Scope& scope = graph.scope();
  const NamedOutputs outputs = Call(graph, batch, /*training=*/false);
  if (!features_.label->is_class()) {
    return {{kPredictions, {outputs.at(kPredictions), {-1}}}};
  }
  const Output& logits = outputs.at(kLogits);
  const Output names =
      ops::Const(scope, StringTensor(features_.label->classes));
  const Output row = ops::ExpandDims(scope, names, 0);
  // Not BroadcastTo, which TensorFlow Lite does not have for strings.
  const Output examples =
      ops::StridedSlice(scope, ops::Shape(scope, logits), {0}, {1}, {1});
  const Output repeated =
      ops::Tile(scope, row, ops::Concat(scope, {examples, {1}}, 0));
  const Output predicted =
      ops::GatherV2(scope, names, ops::ArgMax(scope, logits, 1), 0);
  return {{kScores, {outputs.at(kScores), {-1, this->outputs()}}},
          {"classes", {repeated, {-1, this->outputs()}}},
          {"predicted", {predicted, {-1}}}};
}

}  // namespace rekindle

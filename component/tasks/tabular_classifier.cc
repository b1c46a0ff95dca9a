#include "component/tasks/tabular_classifier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "component/io/random_stream.h"
#include "component/io/string_tensor.h"
#include "component/tasks/join_columns.h"
#include "component/tasks/serving_inputs.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/nn_ops.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

constexpr char kMean[] = "normalization/mean";
constexpr char kVariance[] = "normalization/variance";
// Names of axes, also in sentences to the user.
constexpr char kNumericFeatures[] = "numeric features";
constexpr char kInputs[] = "inputs";
constexpr char kClasses[] = "classes";
// Keeps the streams of the weights apart from those of the epochs.
constexpr uint64_t kFirstWeightStream = uint64_t{1} << 63;

// What each input of the first layer stands for.
std::vector<std::string> InputNames(const Columns& columns) {
  std::vector<std::string> names;
  for (const NumericColumn& column : columns.numeric) {
    names.push_back(column.name);
  }
  for (const CategoricalColumn& column : columns.categorical) {
    for (const std::string& word : column.vocabulary) {
      names.push_back(absl::StrCat(column.name, "=", word));
    }
  }
  return names;
}

std::vector<std::string> NumericNames(const Columns& columns) {
  std::vector<std::string> names;
  for (const NumericColumn& column : columns.numeric) {
    names.push_back(column.name);
  }
  return names;
}

int64_t SizeOf(const std::vector<std::string>& names) {
  return static_cast<int64_t>(names.size());
}

// Uniform within Glorot's limit.
Tensor GlorotWeights(const TensorShape& shape, RandomStream random) {
  Tensor weights(tensorflow::DT_FLOAT, shape);
  const auto fans = static_cast<double>(shape.dim_size(0) + shape.dim_size(1));
  const double limit = std::sqrt(6.0 / fans);
  auto flat = weights.flat<float>();
  for (int64_t i = 0; i < flat.size(); ++i) {
    flat(i) = static_cast<float>(limit * random.Symmetric());
  }
  return weights;
}

struct Moments {
  float mean = 0;
  float variance = 1;
};

// Of the values of a numeric column that are not missing. A column that never
// varies keeps a variance of 1: it normalises to 0, and later data that does
// vary stays in bounds.
Moments MomentsOf(const ExampleDataset& data, size_t column) {
  int64_t count = 0;
  double mean = 0;
  double squares = 0;  // Welford's sum of squared differences
  for (int64_t row = 0; row < data.size(); ++row) {
    const double value = data.Numeric(row)[column];
    if (std::isnan(value)) continue;
    ++count;
    const double delta = value - mean;
    mean += delta / static_cast<double>(count);
    squares += delta * (value - mean);
  }
  const double variance = count > 0 ? squares / static_cast<double>(count) : 0;
  const auto stored = static_cast<float>(variance);
  return {.mean = static_cast<float>(mean),
          .variance = std::isnormal(stored) ? stored : 1.0f};
}

}  // namespace

TabularClassifier::TabularClassifier(Columns columns,
                                     std::vector<int64_t> hidden_units)
    : columns_(std::move(columns)), hidden_units_(std::move(hidden_units)) {
  axes_.axes = {{kNumericFeatures, NumericNames(columns_)},
                {kInputs, InputNames(columns_)},
                {kClasses, columns_.label.classes}};
  if (!columns_.numeric.empty()) {
    const TensorShape shape({SizeOf(axes_.axes[kNumericFeatures])});
    AddVariable({kMean, shape, false}, {kNumericFeatures});
    AddVariable({kVariance, shape, false}, {kNumericFeatures});
  }
  int64_t width = SizeOf(axes_.axes[kInputs]);
  for (size_t layer = 0; layer <= hidden_units_.size(); ++layer) {
    const bool last = layer == hidden_units_.size();
    const int64_t units =
        last ? SizeOf(columns_.label.classes) : hidden_units_[layer];
    std::vector<std::string> kernel_axes;
    if (layer == 0) kernel_axes.emplace_back(kInputs);
    if (last) kernel_axes.emplace_back(kClasses);
    const std::string name = LayerName(layer);
    AddVariable({name + "/kernel", TensorShape({width, units})}, kernel_axes);
    AddVariable(
        {name + "/bias", TensorShape({units})},
        last ? std::vector<std::string>{kClasses} : std::vector<std::string>());
    width = units;
  }
}

void TabularClassifier::AddVariable(VariableSpec spec,
                                    std::vector<std::string> axes) {
  if (!axes.empty()) axes_.variables[spec.name] = std::move(axes);
  variables_.push_back(std::move(spec));
}

// As Keras names layers, and `logits` for the last.
std::string TabularClassifier::LayerName(size_t index) const {
  if (index == hidden_units_.size()) return "logits";
  return index == 0 ? "dense" : absl::StrCat("dense_", index);
}

NamedTensors TabularClassifier::InitialValues(const ExampleDataset& train,
                                              uint64_t seed) const {
  NamedTensors values;
  for (size_t i = 0; i < variables_.size(); ++i) {
    const VariableSpec& spec = variables_[i];
    if (spec.shape.dims() == 2) {
      values[spec.name] =
          GlorotWeights(spec.shape, RandomStream(seed, kFirstWeightStream + i));
      continue;
    }
    Tensor zeros(tensorflow::DT_FLOAT, spec.shape);
    zeros.flat<float>().setZero();
    values[spec.name] = std::move(zeros);
  }
  SetNormalisation(train, &values);
  return values;
}

void TabularClassifier::SetNormalisation(const ExampleDataset& train,
                                         NamedTensors* values) const {
  for (size_t column = 0; column < columns_.numeric.size(); ++column) {
    const Moments moments = MomentsOf(train, column);
    const auto at = static_cast<int64_t>(column);
    values->at(kMean).flat<float>()(at) = moments.mean;
    values->at(kVariance).flat<float>()(at) = moments.variance;
  }
}

ModelInputs TabularClassifier::BatchInputs(const Scope& scope,
                                           const Output& numeric,
                                           const Output& categorical) const {
  ModelInputs inputs;
  if (!columns_.numeric.empty()) inputs.numeric = numeric;
  if (columns_.categorical.empty()) return inputs;
  const ops::Unstack ids(scope, categorical,
                         static_cast<int64_t>(columns_.categorical.size()),
                         ops::Unstack::Axis(1));
  for (size_t i = 0; i < columns_.categorical.size(); ++i) {
    const auto depth =
        static_cast<int>(columns_.categorical[i].vocabulary.size());
    inputs.one_hot.push_back(
        ops::OneHot(scope, ids.output[i], depth, 1.0f, 0.0f));
  }
  return inputs;
}

Output TabularClassifier::Normalised(
    const Scope& scope, const Output& numeric,
    const std::map<std::string, Output>& values) const {
  const Output centred = ops::Sub(scope, numeric, values.at(kMean));
  const Output scaled =
      ops::Mul(scope, centred, ops::Rsqrt(scope, values.at(kVariance)));
  return ops::SelectV2(scope, ops::IsNan(scope, numeric), 0.0f, scaled);
}

Output TabularClassifier::Logits(
    const Scope& scope, const ModelInputs& inputs,
    const std::map<std::string, Output>& values) const {
  std::vector<Output> parts;
  if (!columns_.numeric.empty()) {
    parts.push_back(Normalised(scope, inputs.numeric, values));
  }
  parts.insert(parts.end(), inputs.one_hot.begin(), inputs.one_hot.end());
  Output layer = JoinColumns(scope, parts);
  for (size_t i = 0; i <= hidden_units_.size(); ++i) {
    const std::string name = LayerName(i);
    layer = ops::MatMul(scope, layer, values.at(name + "/kernel"));
    layer = ops::BiasAdd(scope, layer, values.at(name + "/bias"));
    if (i < hidden_units_.size()) layer = ops::Relu(scope, layer);
  }
  return layer;
}

SavedModelContents TabularClassifier::ServingModel(
    const NamedTensors& values) const {
  const Scope scope = Scope::NewRootScope();
  SavedModelContents contents{
      .scope = scope, .variables = {}, .signatures = {}};
  std::map<std::string, Output> reads;
  for (const VariableSpec& spec : variables_) {
    const Output handle =
        ops::VarHandleOp(scope.WithOpName(spec.name), tensorflow::DT_FLOAT,
                         spec.shape, ops::VarHandleOp::SharedName(spec.name));
    contents.variables[spec.name] = {.handle = handle,
                                     .value = values.at(spec.name),
                                     .trainable = spec.trainable};
    reads[spec.name] = ops::ReadVariableOp(scope.WithOpName(spec.name, "/read"),
                                           handle, tensorflow::DT_FLOAT);
  }
  const Output examples = ops::Placeholder(
      scope.WithOpName("examples"), tensorflow::DT_STRING,
      ops::Placeholder::Shape(tensorflow::PartialTensorShape({-1})));
  const Output logits =
      Logits(scope, ParseInGraph(scope, columns_, examples), reads);

  contents.signatures["serving_default"] = {
      .method_name = "tensorflow/serving/predict",
      .inputs = {{"examples", {examples, {-1}}}},
      .outputs = Answers(scope, logits)};
  return contents;
}

std::map<std::string, SignatureTensor> TabularClassifier::Answers(
    const Scope& scope, const Output& logits) const {
  const int64_t classes = SizeOf(columns_.label.classes);
  const Output names = ops::Const(scope, StringTensor(columns_.label.classes));
  const Output row = ops::ExpandDims(scope, names, 0);
  const Output scores = ops::Softmax(scope.WithOpName("scores"), logits);
  const Output repeated = ops::BroadcastTo(scope.WithOpName("classes"), row,
                                           ops::Shape(scope, logits));
  const Output predicted = ops::GatherV2(scope.WithOpName("predicted"), names,
                                         ops::ArgMax(scope, logits, 1), 0);
  return {{"scores", {scores, {-1, classes}}},
          {"classes", {repeated, {-1, classes}}},
          {"predicted", {predicted, {-1}}}};
}

}  // namespace rekindle

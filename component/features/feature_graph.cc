#include "component/features/feature_graph.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "component/features/vocabulary_lookup.h"
#include "component/io/string_tensor.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/array_ops_internal.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/parsing_ops.h"
#include "tensorflow/cc/ops/sparse_ops.h"
#include "tensorflow/cc/ops/string_ops.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;

tensorflow::DataType TypeOf(StoredType stored) {
  switch (stored) {
    case StoredType::kFloat:
      return tensorflow::DT_FLOAT;
    case StoredType::kInt64:
      return tensorflow::DT_INT64;
    case StoredType::kBytes:
      return tensorflow::DT_STRING;
  }
  return tensorflow::DT_INVALID;
}

// Keys and types of features to parse.
struct ParsedKeys {
  std::vector<std::string> names;
  std::vector<tensorflow::DataType> types;

  void Add(const auto& feature) {
    names.push_back(feature.name);
    types.push_back(TypeOf(feature.stored));
  }
};

ParsedKeys SingleKeys(const FeatureSpec& features) {
  ParsedKeys keys;
  for (const NumericFeature& feature : features.numeric) keys.Add(feature);
  for (const CategoricalFeature& feature : features.categorical) {
    keys.Add(feature);
  }
  if (features.label.has_value()) keys.Add(*features.label);
  return keys;
}

ParsedKeys MultivalentKeys(const FeatureSpec& features) {
  ParsedKeys keys;
  for (const CategoricalFeature& feature : features.multivalent) {
    keys.Add(feature);
  }
  return keys;
}

// Adds what turns raw values into a batch's tensors.
class Encoder {
 public:
  Encoder(const Scope& scope, const Output& examples)
      : scope_(scope), examples_(examples) {}

  // Floats [n, width], NaN where they are missing.
  Output Numbers(const RawFeature& raw, int64_t width) const {
    return Dense(raw, ops::Cast(scope_, raw.values, tensorflow::DT_FLOAT),
                 width,
                 ops::Const(scope_, std::numeric_limits<float>::quiet_NaN()));
  }

  // Ids [n], -1 where there are none.
  Output Ids(const RawFeature& raw, const CategoricalFeature& feature) const {
    return Column(raw, ValueIds(raw.values, feature), ops::Const(scope_, -1));
  }

  // Label [n].
  Output Label(const RawFeature& raw, const LabelFeature& label) const {
    if (!label.is_class()) {
      return ops::Reshape(scope_, Numbers(raw, 1), {-1});
    }
    CategoricalFeature classes;
    classes.stored = label.stored;
    if (label.stored == StoredType::kBytes) {
      classes.vocabulary = label.classes;
    } else {
      classes.first_value = label.first_value;
      classes.range_size = static_cast<int64_t>(label.classes.size());
    }
    return Ids(raw, classes);
  }

  // The known ids of all examples, and where those of each end.
  std::pair<Output, Output> Lists(const RawFeature& raw,
                                  const CategoricalFeature& feature) const {
    const Output values = ops::Reshape(scope_, raw.values, {-1});
    const Output ids = ValueIds(values, feature);
    const Output splits = RowSplits(raw);
    const Output known = ops::GreaterEqual(scope_, ids, 0);
    const Output places = ops::Reshape(scope_, ops::Where(scope_, known), {-1});
    const Output counts =
        ops::Cumsum(scope_, ops::Cast(scope_, known, tensorflow::DT_INT64), 0);
    const Output before =
        ops::Concat(scope_, {ops::Const(scope_, {int64_t{0}}), counts}, 0);
    return {ops::GatherV2(scope_, ids, places, 0),
            ops::GatherV2(scope_, before, splits, 0)};
  }

 private:
  // The id of each value, int32 of the same shape, -1: unknown.
  Output ValueIds(const Output& values,
                  const CategoricalFeature& feature) const {
    if (!feature.boundaries.empty()) return Bucket(values, feature);
    if (feature.hash_buckets > 0) {
      const Output text = feature.stored == StoredType::kInt64
                              ? ops::AsString(scope_, values)
                              : values;
      return ops::Cast(
          scope_,
          ops::StringToHashBucketFast(scope_, text, feature.hash_buckets),
          tensorflow::DT_INT32);
    }
    if (feature.stored == StoredType::kBytes) {
      return LookUpVocabulary(scope_, feature.vocabulary, values);
    }
    return InRange(values, feature);
  }

  Output Bucket(const Output& values, const CategoricalFeature& feature) const {
    const Output numbers = ops::Cast(scope_, values, tensorflow::DT_FLOAT);
    return ops::SelectV2(scope_, ops::IsNan(scope_, numbers), -1,
                         ops::Bucketize(scope_, numbers, feature.boundaries));
  }

  Output InRange(const Output& values,
                 const CategoricalFeature& feature) const {
    const int64_t first = feature.first_value;
    const Output inside = ops::LogicalAnd(
        scope_, ops::GreaterEqual(scope_, values, first),
        ops::LessEqual(scope_, values, first + feature.range_size - 1));
    const Output id = ops::Cast(scope_, ops::Sub(scope_, values, first),
                                tensorflow::DT_INT32);
    return ops::SelectV2(scope_, inside, id, -1);
  }

  Output Column(const RawFeature& raw, const Output& values,
                const Output& missing) const {
    return ops::Reshape(scope_, Dense(raw, values, 1, missing), {-1});
  }

  // [n, width]. A sparse tensor with more values than that fails when it runs.
  Output Dense(const RawFeature& raw, const Output& values, int64_t width,
               const Output& missing) const {
    const Output shape = ops::Stack(
        scope_, {examples_, ops::Const(scope_, width)}, ops::Stack::Axis(0));
    if (!raw.indices.has_value()) return ops::Reshape(scope_, values, shape);
    return ops::SparseToDense(scope_, *raw.indices, shape, values, missing);
  }

  Output RowSplits(const RawFeature& raw) const {
    if (raw.row_splits.has_value()) return *raw.row_splits;
    const Output numbers =
        ops::Range(scope_, int64_t{0}, ops::Add(scope_, examples_, int64_t{1}),
                   int64_t{1});
    if (raw.indices.has_value()) return FirstOfRow(*raw.indices, numbers);
    const Output values =
        ops::Size(scope_, raw.values, ops::Size::OutType(tensorflow::DT_INT64));
    return ops::FloorDiv(scope_, ops::Mul(scope_, numbers, values),
                         ops::Maximum(scope_, examples_, int64_t{1}));
  }

  // How many of the sorted `indices` are of rows before each of `numbers`.
  Output FirstOfRow(const Output& indices, const Output& numbers) const {
    const Output rows = ops::StridedSlice(
        scope_, indices, {0, 0}, {0, 1}, {1, 1},
        ops::StridedSlice::BeginMask(1).EndMask(1).ShrinkAxisMask(2));
    const Output found = ops::internal::LowerBound(
        scope_, ops::ExpandDims(scope_, rows, 0),
        ops::ExpandDims(scope_, numbers, 0),
        ops::internal::LowerBound::OutType(tensorflow::DT_INT64));
    return ops::Reshape(scope_, found, {-1});
  }

  const Scope scope_;
  const Output examples_;
};

Output Dimension0(const Scope& scope, const Output& tensor) {
  const Output shape =
      ops::Shape(scope, tensor, ops::Shape::OutType(tensorflow::DT_INT64));
  return ops::GatherV2(scope, shape, 0, 0);
}

// Not every feature's name can be that of a node.
Output AddPlaceholder(const Scope& scope, tensorflow::DataType type,
                      const tensorflow::PartialTensorShape& shape) {
  return ops::Placeholder(scope.WithOpName("raw_input"), type,
                          ops::Placeholder::Shape(shape));
}

}  // namespace

RawFeatures ParseExamples(const Scope& scope, const FeatureSpec& features,
                          const Output& serialized) {
  const ParsedKeys single = SingleKeys(features);
  const ParsedKeys several = MultivalentKeys(features);
  const std::vector<tensorflow::DataType> splits(several.names.size(),
                                                 tensorflow::DT_INT64);
  const Output none = ops::Const(scope, StringTensor({}));
  // Sparse, for there a feature may be absent, or present and empty, where a
  // dense one must have its value.
  const ops::ParseExampleV2 parsed(
      scope.WithOpName("parse"), serialized, none,
      ops::Const(scope, StringTensor(single.names)), none,
      ops::Const(scope, StringTensor(several.names)), std::vector<Output>(),
      static_cast<int64_t>(single.names.size()), single.types, several.types,
      splits, {});
  RawFeatures raw;
  if (!scope.ok()) return raw;
  for (size_t i = 0; i < single.names.size(); ++i) {
    raw[single.names[i]] = {.values = parsed.sparse_values[i],
                            .indices = parsed.sparse_indices[i],
                            .row_splits = std::nullopt,
                            .dense_shape = parsed.sparse_shapes[i]};
  }
  for (size_t i = 0; i < several.names.size(); ++i) {
    raw[several.names[i]] = {.values = parsed.ragged_values[i],
                             .indices = std::nullopt,
                             .row_splits = parsed.ragged_row_splits[i],
                             .dense_shape = std::nullopt};
  }
  return raw;
}

NamedOutputs EncodeFeatures(const Scope& scope, const FeatureSpec& features,
                            const RawFeatures& raw, const Output& examples) {
  NamedOutputs batch;
  if (!scope.ok()) return batch;
  const Encoder encoder(scope, examples);
  std::vector<Output> columns;
  for (const NumericFeature& feature : features.numeric) {
    columns.push_back(encoder.Numbers(raw.at(feature.name), feature.width));
  }
  if (!columns.empty()) {
    batch[kNumericTensor] = columns.size() == 1
                                ? columns[0]
                                : Output(ops::Concat(scope, columns, 1));
  }
  columns.clear();
  for (const CategoricalFeature& feature : features.categorical) {
    columns.push_back(encoder.Ids(raw.at(feature.name), feature));
  }
  if (!columns.empty()) {
    batch[kCategoricalTensor] = ops::Stack(scope, columns, ops::Stack::Axis(1));
  }
  for (const CategoricalFeature& feature : features.multivalent) {
    std::tie(batch[ValuesTensor(feature.name)],
             batch[RowSplitsTensor(feature.name)]) =
        encoder.Lists(raw.at(feature.name), feature);
  }
  if (features.label.has_value()) {
    batch[kLabelTensor] =
        encoder.Label(raw.at(features.label->name), *features.label);
  }
  return batch;
}

NamedOutputs EncodeExamples(const Scope& scope, const FeatureSpec& features,
                            const Output& serialized) {
  return EncodeFeatures(scope, features,
                        ParseExamples(scope, features, serialized),
                        Dimension0(scope, serialized));
}

RawInputs AddRawInputs(const Scope& scope, const FeatureSpec& features) {
  RawInputs inputs;
  RawFeatures raw;
  Output examples;
  const auto add = [&](const auto& feature, int64_t width) {
    tensorflow::PartialTensorShape shape({-1});
    if (width > 1) shape.AddDim(width);
    const Output values = AddPlaceholder(scope, TypeOf(feature.stored), shape);
    inputs.placeholders[feature.name] = values;
    raw[feature.name].values = values;
    examples = Dimension0(scope, values);
  };
  for (const CategoricalFeature& feature : features.multivalent) {
    add(feature, 1);
    const std::string name = RowSplitsTensor(feature.name);
    const Output splits = AddPlaceholder(scope, tensorflow::DT_INT64, {-1});
    inputs.placeholders[name] = splits;
    raw[feature.name].row_splits = splits;
    examples = ops::Sub(scope, Dimension0(scope, splits), int64_t{1});
  }
  for (const NumericFeature& feature : features.numeric) {
    add(feature, feature.width);
  }
  for (const CategoricalFeature& feature : features.categorical) {
    add(feature, 1);
  }
  if (features.label.has_value()) add(*features.label, 1);
  inputs.batch = EncodeFeatures(scope, features, raw, examples);
  return inputs;
}

}  // namespace rekindle

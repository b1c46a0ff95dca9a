#include "component/tasks/feature_columns.h"

#include <cstdint>

#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/array_ops_internal.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;

// Of row splits [n + 1], how many examples there are, int64.
Output Examples(const Scope& scope, const Output& row_splits) {
  const Output size =
      ops::Size(scope, row_splits, ops::Size::OutType(tensorflow::DT_INT64));
  return ops::Sub(scope, size, int64_t{1});
}

// Of each value the example that has it: how many splits are not behind it.
Output ExampleOfValues(const Scope& scope, const Output& row_splits,
                       const Output& values) {
  const Output size =
      ops::Size(scope, values, ops::Size::OutType(tensorflow::DT_INT64));
  const Output places = ops::Range(scope, int64_t{0}, size, int64_t{1});
  const Output found = ops::internal::UpperBound(
      scope, ops::ExpandDims(scope, row_splits, 0),
      ops::ExpandDims(scope, places, 0),
      ops::internal::UpperBound::OutType(tensorflow::DT_INT64));
  return ops::Sub(scope, ops::Squeeze(scope, found, ops::Squeeze::Axis({0})),
                  int64_t{1});
}

// Of each example how many values it has, but at least 1, float [n, 1].
Output Counts(const Scope& scope, const Output& row_splits) {
  const Output ends =
      ops::Slice(scope, row_splits, {int64_t{1}}, {int64_t{-1}});
  const Output begins =
      ops::Slice(scope, row_splits, {int64_t{0}},
                 ops::ExpandDims(scope, Examples(scope, row_splits), 0));
  const Output counts =
      ops::Cast(scope, ops::Sub(scope, ends, begins), tensorflow::DT_FLOAT);
  return ops::ExpandDims(scope, ops::Maximum(scope, counts, 1.0f), 1);
}

}  // namespace

FeatureColumns::FeatureColumns(GraphBuilder& graph, const FeatureSpec& features,
                               const NamedOutputs& inputs)
    : graph_(graph), inputs_(inputs) {
  if (features.categorical.empty()) return;
  const ops::Unstack columns(graph.scope(), inputs.at(kCategoricalTensor),
                             static_cast<int64_t>(features.categorical.size()),
                             ops::Unstack::Axis(1));
  for (size_t i = 0; i < features.categorical.size(); ++i) {
    ids_[features.categorical[i].name].ids = columns.output[i];
  }
}

const FeatureColumns::Ids& FeatureColumns::IdsOf(
    const CategoricalFeature& feature) {
  const auto found = ids_.find(feature.name);
  if (found != ids_.end()) return found->second;
  return ids_[feature.name] = SeveralIds(feature);
}

FeatureColumns::Ids FeatureColumns::SeveralIds(
    const CategoricalFeature& feature) const {
  const Scope& scope = graph_.scope();
  const Output& values = inputs_.at(ValuesTensor(feature.name));
  const Output& row_splits = inputs_.at(RowSplitsTensor(feature.name));
  return {.ids = values,
          .several = true,
          .examples = ExampleOfValues(scope, row_splits, values),
          .counts = Counts(scope, row_splits)};
}

Output FeatureColumns::Combine(const CategoricalFeature& feature,
                               const Ids& ids, const Output& rows) {
  if (!ids.several) return rows;
  const Scope& scope = graph_.scope();
  const Output examples =
      Examples(scope, inputs_.at(RowSplitsTensor(feature.name)));
  const Output sums =
      ops::UnsortedSegmentSum(scope, rows, ids.examples, examples);
  if (feature.combiner == Combiner::kSum) return sums;
  return ops::Div(scope, sums, ids.counts);
}

Output FeatureColumns::Embedded(const CategoricalFeature& feature,
                                const std::string& table) {
  const Ids& ids = IdsOf(feature);
  const Output rows =
      graph_.Gather(table, ops::AddV2(graph_.scope(), ids.ids, 1));
  return Combine(feature, ids, rows);
}

Output FeatureColumns::OneHot(const CategoricalFeature& feature) {
  const Ids& ids = IdsOf(feature);
  const Output rows = ops::OneHot(graph_.scope(), ids.ids,
                                  static_cast<int>(feature.ids()), 1.0f, 0.0f);
  return Combine(feature, ids, rows);
}

}  // namespace rekindle

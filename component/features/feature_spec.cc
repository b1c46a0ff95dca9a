#include "component/features/feature_spec.h"

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/types.pb.h"

namespace rekindle {
namespace {

int64_t SizeOf(const auto& container) {
  return static_cast<int64_t>(container.size());
}

}  // namespace

int64_t CategoricalFeature::ids() const {
  if (!vocabulary.empty()) return SizeOf(vocabulary);
  if (hash_buckets > 0) return hash_buckets;
  if (!boundaries.empty()) return SizeOf(boundaries) + 1;
  return range_size;
}

int64_t FeatureSpec::numeric_width() const {
  int64_t width = 0;
  for (const NumericFeature& feature : numeric) width += feature.width;
  return width;
}

std::string ValuesTensor(const std::string& feature) {
  return absl::StrCat(feature, "/values");
}

std::string RowSplitsTensor(const std::string& feature) {
  return absl::StrCat(feature, "/row_splits");
}

std::vector<TensorSpec> BatchTensors(const FeatureSpec& features) {
  std::vector<TensorSpec> tensors;
  if (!features.numeric.empty()) {
    tensors.push_back(
        {kNumericTensor, tensorflow::DT_FLOAT, {-1, features.numeric_width()}});
  }
  if (!features.categorical.empty()) {
    tensors.push_back({kCategoricalTensor,
                       tensorflow::DT_INT32,
                       {-1, SizeOf(features.categorical)}});
  }
  for (const CategoricalFeature& feature : features.multivalent) {
    tensors.push_back({ValuesTensor(feature.name), tensorflow::DT_INT32, {-1}});
    tensors.push_back(
        {RowSplitsTensor(feature.name), tensorflow::DT_INT64, {-1}});
  }
  if (features.label.has_value()) {
    tensors.push_back({kLabelTensor,
                       features.label->is_class() ? tensorflow::DT_INT32
                                                  : tensorflow::DT_FLOAT,
                       {-1}});
  }
  return tensors;
}

}  // namespace rekindle

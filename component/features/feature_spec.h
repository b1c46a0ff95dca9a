#ifndef REKINDLE_COMPONENT_FEATURES_FEATURE_SPEC_H_
#define REKINDLE_COMPONENT_FEATURES_FEATURE_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rekindle/training/tensors.h"

namespace rekindle {

// The features of a tf.Example that a tabular model reads, and how. Plain
// values.

// How a tf.Example holds a feature.
enum class StoredType { kFloat, kInt64, kBytes };

// Numbers as they are. Every example has `width` of them, or none.
struct NumericFeature {
  std::string name;
  StoredType stored = StoredType::kFloat;  // kFloat or kInt64
  int64_t width = 1;
};

// How the ids of several values of an example become one row.
enum class Combiner { kMean, kSum };

// Ids from 0 on, in one of four ways:
//   vocabulary    the value's place in `vocabulary` (kBytes)
//   int range     the value less `first_value` (kInt64, `range_size` ids)
//   hash          StringToHashBucketFast of the value, or of its decimal text,
//                 into `hash_buckets`
//   boundaries    how many of `boundaries` are not above the value (kFloat,
//                 kInt64)
struct CategoricalFeature {
  std::string name;
  StoredType stored = StoredType::kBytes;
  std::vector<std::string> vocabulary;
  int64_t first_value = 0;
  int64_t range_size = 0;
  int64_t hash_buckets = 0;
  std::vector<float> boundaries;
  // For the model: 0 leaves it the choice.
  int64_t embedding_dim = 0;
  Combiner combiner = Combiner::kMean;

  // How many ids there are.
  int64_t ids() const;
};

// What is to be learned: a class, or a number where there are no classes.
struct LabelFeature {
  std::string name;
  StoredType stored = StoredType::kBytes;
  // Names of the classes in the order of their ids. Where the label is stored
  // as int64, class 0 is the value `first_value`; else it is the name itself.
  std::vector<std::string> classes;
  int64_t first_value = 0;

  bool is_class() const { return !classes.empty(); }
};

struct FeatureSpec {
  std::vector<NumericFeature> numeric;
  std::vector<CategoricalFeature> categorical;  // at most one value
  std::vector<CategoricalFeature> multivalent;  // any number of values
  std::optional<LabelFeature> label;

  // Columns of the tensor `numeric`.
  int64_t numeric_width() const;
};

// Names of a batch's tensors.
inline constexpr char kNumericTensor[] = "numeric";
inline constexpr char kCategoricalTensor[] = "categorical";
inline constexpr char kLabelTensor[] = "label";
inline constexpr char kExamplesTensor[] = "examples";
std::string ValuesTensor(const std::string& feature);
std::string RowSplitsTensor(const std::string& feature);

// The tensors of a batch of n examples, in this order; those without a column
// are left out.
//   numeric            float [n, numeric_width()]; NaN: missing
//   categorical        int32 [n, categorical]; -1: missing or unknown
//   NAME/values        int32 [m], for each multivalent feature: the known ids
//   NAME/row_splits    int64 [n + 1]: example i has those from row_splits[i] to
//                      row_splits[i + 1]
//   label              int32 [n] (class) or float [n] (number)
std::vector<TensorSpec> BatchTensors(const FeatureSpec& features);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_FEATURES_FEATURE_SPEC_H_

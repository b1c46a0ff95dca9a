#ifndef REKINDLE_COMPONENT_FEATURES_SCHEMA_FEATURES_H_
#define REKINDLE_COMPONENT_FEATURES_SCHEMA_FEATURES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/features/feature_spec.h"

namespace rekindle {

// What the user says about a feature beside the schema. A plain value; what is
// not set is decided from the schema.
struct FeatureConfig {
  bool ignore = false;
  // At most one of these three.
  std::vector<std::string> vocabulary = {};  // BYTES
  int64_t hash_buckets = 0;                  // BYTES or INT
  std::vector<double> boundaries = {};       // FLOAT or INT, ascending
  // Of categorical features.
  int64_t embedding_dim = 0;
  std::string combiner = "mean";  // or "sum"
};

enum class LabelUse { kNone, kClass, kNumber };

struct FeatureOptions {
  std::string label_key;  // not looked at with LabelUse::kNone
  LabelUse label_use = LabelUse::kClass;
  // Of an INT label: its classes are 0 to num_classes - 1; 0: the domain says.
  int64_t num_classes = 0;
  std::map<std::string, FeatureConfig> features;  // by name
  // For strings without a domain, and integers that the schema calls
  // categorical without bounds; 0: such features are left out.
  int64_t default_hash_buckets = 0;
  // A categorical feature of which the schema says no shape and no value_count
  // is multivalent, as tensorflow_transform means it, and not single.
  bool shapeless_is_multivalent = false;
};

struct SchemaFeatures {
  FeatureSpec spec;
  // One sentence for each feature that is left out.
  std::vector<std::string> notes;
};

// Decides from the Schema (text proto) at `path` what a tabular model reads:
//   FLOAT, INT       numeric; a fixed number of values is as many columns
//   INT, categorical int_domain.is_categorical: its range, or by hash
//   BYTES            its string or bool domain's vocabulary, or by hash
//   multivalent      a categorical feature whose value_count or shape allows
//                    more than one value
// and what `options` change in it. A label of classes is BYTES with a string or
// bool domain, or INT with an int or bool domain; one of numbers FLOAT or INT.
// Features are in the schema's order.
//
//   NOT_FOUND         there is no such file
//   INVALID_ARGUMENT  it is not a Schema, has no usable label or feature, or
//                     the options name a feature that it has not, or that
//                     cannot be used so
//   UNAVAILABLE       it cannot be read
absl::StatusOr<SchemaFeatures> ReadSchemaFeatures(
    const std::string& path, const FeatureOptions& options);

// The same of a schema that is not in a file; `name` stands for it in errors.
absl::StatusOr<SchemaFeatures> ParseSchemaFeatures(
    const std::string& text, const std::string& name,
    const FeatureOptions& options);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_FEATURES_SCHEMA_FEATURES_H_

#include "component/features/schema_features.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/contract/whole_file.h"
#include "component/features/schema_file.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"

namespace rekindle {
namespace {

namespace tfmd = ::tensorflow::metadata::v0;

// Ids are int32.
constexpr int64_t kMostIds = (int64_t{1} << 31) - 1;

std::optional<StoredType> StoredAs(const tfmd::Feature& feature) {
  switch (feature.type()) {
    case tfmd::FLOAT:
      return StoredType::kFloat;
    case tfmd::INT:
      return StoredType::kInt64;
    case tfmd::BYTES:
      return StoredType::kBytes;
    default:
      return std::nullopt;
  }
}

// How many values an example may have of a feature; nullopt: any number.
std::optional<int64_t> ValueCount(const tfmd::Feature& feature) {
  if (feature.has_value_count()) {
    const tfmd::ValueCount& count = feature.value_count();
    if (!count.has_max()) return std::nullopt;
    if (count.max() <= 1) return 1;
    if (count.min() == count.max()) return count.max();
    return std::nullopt;
  }
  int64_t values = 1;
  for (const auto& dim : feature.shape().dim()) {
    if (dim.size() <= 0) return std::nullopt;
    values *= dim.size();
  }
  return values;
}

std::vector<std::string> Words(const tfmd::Schema& schema,
                               const tfmd::Feature& feature) {
  if (feature.has_bool_domain() && feature.bool_domain().has_true_value() &&
      feature.bool_domain().has_false_value()) {
    return {feature.bool_domain().false_value(),
            feature.bool_domain().true_value()};
  }
  return SchemaWords(schema, feature);
}

absl::Status Unusable(const tfmd::Feature& feature, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("feature '", feature.name(), "' (",
                   tfmd::FeatureType_Name(feature.type()), ") ", why));
}

// Says what is wrong with what the user says about a feature.
absl::Status CheckConfig(const tfmd::Feature& feature,
                         const FeatureConfig& config) {
  const int ways = (config.vocabulary.empty() ? 0 : 1) +
                   (config.hash_buckets == 0 ? 0 : 1) +
                   (config.boundaries.empty() ? 0 : 1);
  if (ways > 1) {
    return Unusable(feature,
                    "has more than one of vocabulary, hash_buckets and "
                    "boundaries; give one of them");
  }
  if (!config.vocabulary.empty() && feature.type() != tfmd::BYTES) {
    return Unusable(feature, "has a vocabulary, which only BYTES can have");
  }
  if (!config.boundaries.empty() && feature.type() == tfmd::BYTES) {
    return Unusable(feature, "has boundaries, which only numbers can have");
  }
  if (config.hash_buckets != 0 && feature.type() == tfmd::FLOAT) {
    return Unusable(feature, "has hash_buckets, which BYTES and INT can have");
  }
  if (config.hash_buckets < 0 || config.hash_buckets > kMostIds) {
    return Unusable(feature, absl::StrCat("has ", config.hash_buckets,
                                          " hash_buckets; from 1 to ", kMostIds,
                                          " are possible"));
  }
  if (config.embedding_dim < 0) {
    return Unusable(feature,
                    absl::StrCat("has embedding_dim ", config.embedding_dim,
                                 "; it must be 1 or more"));
  }
  if (config.combiner != "mean" && config.combiner != "sum") {
    return Unusable(feature, absl::StrCat("has combiner '", config.combiner,
                                          "'; mean and sum are possible"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<float>> Boundaries(const tfmd::Feature& feature,
                                              const FeatureConfig& config) {
  std::vector<float> boundaries;
  for (const double given : config.boundaries) {
    const auto boundary = static_cast<float>(given);
    if (!std::isfinite(boundary) ||
        (!boundaries.empty() && boundary <= boundaries.back())) {
      return Unusable(feature,
                      absl::StrCat("has boundaries that do not ascend: ",
                                   absl::StrJoin(config.boundaries, ", ")));
    }
    boundaries.push_back(boundary);
  }
  return boundaries;
}

// Sorts a schema's features by how a model reads them.
class Sorter {
 public:
  Sorter(const tfmd::Schema& schema, const FeatureOptions& options)
      : schema_(schema), options_(options) {}

  absl::Status Add(const tfmd::Feature& feature) {
    const FeatureConfig config = ConfigOf(feature);
    RK_RETURN_IF_ERROR(CheckConfig(feature, config));
    if (config.ignore) return LeaveOut(feature, "the configuration ignores it");
    if (feature.deprecated()) return LeaveOut(feature, "it is deprecated");
    const std::optional<StoredType> stored = StoredAs(feature);
    if (!stored) return LeaveOut(feature, "its type has no use here");
    RK_ASSIGN_OR_RETURN(std::optional<CategoricalFeature> categorical,
                        AsCategorical(feature, config));
    if (categorical.has_value()) {
      AddCategorical(feature, config, *std::move(categorical));
      return absl::OkStatus();
    }
    if (*stored == StoredType::kBytes) {
      return LeaveOut(feature, "it has no string domain and no hash_buckets");
    }
    if (IsCategorical(feature)) {
      return LeaveOut(feature,
                      "it is categorical, but has no bounds and no "
                      "hash_buckets");
    }
    return AddNumeric(feature, *stored);
  }

  SchemaFeatures Finish() && { return std::move(out_); }

 private:
  FeatureConfig ConfigOf(const tfmd::Feature& feature) const {
    const auto found = options_.features.find(feature.name());
    return found == options_.features.end() ? FeatureConfig() : found->second;
  }

  // An integer that is none to calculate with.
  bool IsCategorical(const tfmd::Feature& feature) const {
    const tfmd::IntDomain* domain = SchemaIntDomain(schema_, feature);
    return domain != nullptr && domain->is_categorical();
  }

  absl::Status LeaveOut(const tfmd::Feature& feature, absl::string_view why) {
    out_.notes.push_back(
        absl::StrCat("feature '", feature.name(), "' is not used: ", why));
    return absl::OkStatus();
  }

  // How the feature's values become ids; nullopt: they do not.
  absl::StatusOr<std::optional<CategoricalFeature>> AsCategorical(
      const tfmd::Feature& feature, const FeatureConfig& config) const {
    CategoricalFeature out;
    RK_ASSIGN_OR_RETURN(out.boundaries, Boundaries(feature, config));
    out.hash_buckets = config.hash_buckets;
    out.vocabulary = config.vocabulary;
    if (out.ids() == 0) ChooseByDomain(feature, &out);
    if (out.ids() == 0) return std::nullopt;
    return out;
  }

  // As the schema says it, where the user says nothing.
  void ChooseByDomain(const tfmd::Feature& feature,
                      CategoricalFeature* out) const {
    if (feature.type() == tfmd::FLOAT) return;
    if (feature.type() == tfmd::BYTES) {
      out->vocabulary = Words(schema_, feature);
      if (out->vocabulary.empty()) {
        out->hash_buckets = options_.default_hash_buckets;
      }
      return;
    }
    if (!IsCategorical(feature)) return;
    if (const auto range = SchemaRange(schema_, feature)) {
      out->first_value = range->min;
      out->range_size = range->max - range->min + 1;
    } else {
      out->hash_buckets = options_.default_hash_buckets;
    }
  }

  void AddCategorical(const tfmd::Feature& feature, const FeatureConfig& config,
                      CategoricalFeature categorical) {
    categorical.name = feature.name();
    categorical.stored = *StoredAs(feature);
    categorical.embedding_dim = config.embedding_dim;
    categorical.combiner =
        config.combiner == "sum" ? Combiner::kSum : Combiner::kMean;
    const bool shapeless = !feature.has_shape() && !feature.has_value_count();
    const bool single = ValueCount(feature) == 1 &&
                        !(shapeless && options_.shapeless_is_multivalent);
    auto& list = single ? out_.spec.categorical : out_.spec.multivalent;
    list.push_back(std::move(categorical));
  }

  absl::Status AddNumeric(const tfmd::Feature& feature, StoredType stored) {
    const std::optional<int64_t> width = ValueCount(feature);
    if (!width.has_value()) {
      return LeaveOut(feature,
                      "it may hold any number of values, which only a "
                      "categorical feature can; give it boundaries");
    }
    out_.spec.numeric.push_back(
        {.name = feature.name(), .stored = stored, .width = *width});
    return absl::OkStatus();
  }

  const tfmd::Schema& schema_;
  const FeatureOptions& options_;
  SchemaFeatures out_;
};

absl::StatusOr<LabelFeature> ClassLabel(const tfmd::Schema& schema,
                                        const tfmd::Feature& feature,
                                        int64_t num_classes,
                                        LabelFeature label) {
  const bool is_int = label.stored == StoredType::kInt64;
  if (num_classes > 0 && !is_int) {
    return Unusable(feature,
                    "cannot be the label with num_classes, which is for INT");
  }
  std::optional<IntegerRange> range = SchemaRange(schema, feature);
  if (num_classes > 0) range = IntegerRange{.min = 0, .max = num_classes - 1};
  if (label.stored == StoredType::kBytes) {
    label.classes = Words(schema, feature);
  } else if (is_int && range.has_value()) {
    label.first_value = range->min;
    for (int64_t value = range->min; value <= range->max; ++value) {
      label.classes.push_back(absl::StrCat(value));
    }
  }
  if (label.classes.size() >= 2) return label;
  return absl::InvalidArgumentError(absl::StrCat(
      "label '", label.name, "' has no classes to tell apart: a ",
      tfmd::FeatureType_Name(feature.type()),
      " label needs a string domain (BYTES) or an int domain with min and "
      "max (INT) of at least two values in the schema, or num_classes (INT)"));
}

absl::StatusOr<LabelFeature> MakeLabel(const tfmd::Schema& schema,
                                       const tfmd::Feature& feature,
                                       const FeatureOptions& options) {
  const std::optional<StoredType> stored = StoredAs(feature);
  if (!stored || ValueCount(feature) != 1) {
    return Unusable(feature, "cannot be the label: it must hold one value");
  }
  LabelFeature label{.name = feature.name(),
                     .stored = *stored,
                     .classes = {},
                     .first_value = 0};
  if (options.label_use == LabelUse::kClass) {
    return ClassLabel(schema, feature, options.num_classes, std::move(label));
  }
  if (*stored == StoredType::kBytes) {
    return Unusable(feature,
                    "cannot be the label of a regression, which learns a "
                    "number: FLOAT or INT");
  }
  return label;
}

std::vector<std::string> FeatureNames(const tfmd::Schema& schema) {
  std::vector<std::string> names;
  for (const tfmd::Feature& feature : schema.feature()) {
    names.push_back(feature.name());
  }
  return names;
}

absl::Status CheckNames(const tfmd::Schema& schema, const std::string& name,
                        const FeatureOptions& options) {
  const std::vector<std::string> names = FeatureNames(schema);
  for (const auto& [feature, unused] : options.features) {
    if (std::ranges::find(names, feature) != names.end()) continue;
    const auto nearest = NearestName(feature, names);
    return absl::InvalidArgumentError(absl::StrCat(
        "the configuration names feature '", feature, "', which schema '", name,
        "' has not",
        nearest.has_value() ? absl::StrCat("; did you mean '", *nearest, "'?")
                            : ""));
  }
  return absl::OkStatus();
}

absl::Status NoLabel(const tfmd::Schema& schema, const std::string& name,
                     const std::string& label_key) {
  return absl::InvalidArgumentError(
      absl::StrCat("schema '", name, "' has no feature '", label_key,
                   "', which label_key names; it has: ",
                   absl::StrJoin(FeatureNames(schema), ", ")));
}

}  // namespace

absl::StatusOr<SchemaFeatures> ParseSchemaFeatures(
    const std::string& text, const std::string& name,
    const FeatureOptions& options) {
  RK_ASSIGN_OR_RETURN(const tfmd::Schema schema, ParseSchema(text, name));
  RK_RETURN_IF_ERROR(CheckNames(schema, name, options));
  const bool labelled = options.label_use != LabelUse::kNone;
  Sorter sorter(schema, options);
  std::optional<LabelFeature> label;
  for (const tfmd::Feature& feature : schema.feature()) {
    if (!labelled || feature.name() != options.label_key) {
      RK_RETURN_IF_ERROR(sorter.Add(feature));
      continue;
    }
    RK_ASSIGN_OR_RETURN(label, MakeLabel(schema, feature, options));
  }
  if (labelled && !label) return NoLabel(schema, name, options.label_key);
  SchemaFeatures out = std::move(sorter).Finish();
  out.spec.label = std::move(label);
  if (out.spec.numeric.empty() && out.spec.categorical.empty() &&
      out.spec.multivalent.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("schema '", name, "' has no feature to learn '",
                     options.label_key, "' from"));
  }
  return out;
}

absl::StatusOr<SchemaFeatures> ReadSchemaFeatures(
    const std::string& path, const FeatureOptions& options) {
  RK_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  return ParseSchemaFeatures(text, path, options);
}

}  // namespace rekindle

#include "component/data/schema_inference.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/data/feature_summary.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;
using StatisticsType = tfmd::FeatureNameStatistics;

// Strings that TFDV takes for yes and no.
constexpr std::array<absl::string_view, 6> kTrue = {"TRUE", "true", "SET",
                                                    "set",  "1",    ""};
constexpr std::array<absl::string_view, 5> kFalse = {"FALSE", "false", "CLEAR",
                                                     "clear", "0"};

template <typename Names>
bool IsOneOf(const std::string& value, const Names& names) {
  return std::find(names.begin(), names.end(), value) != names.end();
}

// At most one string that means yes and one that means no, and no other.
bool AreBooleans(const std::set<std::string>& strings) {
  int64_t yes = 0;
  int64_t no = 0;
  for (const std::string& value : strings) {
    if (IsOneOf(value, kTrue)) {
      ++yes;
    } else if (IsOneOf(value, kFalse)) {
      ++no;
    } else {
      return false;
    }
  }
  return yes <= 1 && no <= 1 && !strings.empty();
}

bool AreIntegers(const std::set<std::string>& strings) {
  return !strings.empty() &&
         std::all_of(strings.begin(), strings.end(),
                     [](const std::string& value) {
                       int64_t ignored = 0;
                       return absl::SimpleAtoi(value, &ignored);
                     });
}

tfmd::FeatureType TypeOf(StatisticsType::Type type) {
  switch (type) {
    case StatisticsType::INT:
      return tfmd::INT;
    case StatisticsType::FLOAT:
      return tfmd::FLOAT;
    case StatisticsType::STRUCT:
      return tfmd::STRUCT;
    default:
      return tfmd::BYTES;
  }
}

// Adds the domains of one feature to it and to the schema.
void InferStringDomain(const FeatureSummary& summary, size_t limit,
                       tfmd::Feature& feature, tfmd::Schema& schema) {
  if (summary.has_invalid_utf8) return;
  const std::set<std::string>& strings = summary.strings;
  if (summary.knows_all_strings && AreBooleans(strings)) {
    for (const std::string& value : strings) {
      if (IsOneOf(value, kTrue)) {
        feature.mutable_bool_domain()->set_true_value(value);
      } else {
        feature.mutable_bool_domain()->set_false_value(value);
      }
    }
  } else if (AreIntegers(strings)) {
    feature.mutable_int_domain();
  } else if (summary.knows_all_strings && strings.size() <= limit &&
             !strings.empty()) {
    feature.set_domain(feature.name());
    tfmd::StringDomain& domain = *schema.add_string_domain();
    domain.set_name(feature.name());
    domain.mutable_value()->Assign(strings.begin(), strings.end());
  }
}

void InferPresenceAndShape(const FeatureSummary& summary, uint64_t examples,
                           bool infer_shape, tfmd::Feature& feature) {
  const bool always = summary.present >= examples;
  if (always) feature.mutable_presence()->set_min_fraction(1.0);
  feature.mutable_presence()->set_min_count(1);
  const auto values = static_cast<int64_t>(summary.max_values);
  if (summary.min_values == 0) return;
  if (summary.min_values != summary.max_values) {
    feature.mutable_value_count()->set_min(1);
  } else if (always && infer_shape) {
    feature.mutable_shape()->add_dim()->set_size(values);
  } else {
    feature.mutable_value_count()->set_min(values);
    feature.mutable_value_count()->set_max(values);
  }
}

}  // namespace

absl::StatusOr<tfmd::Schema> InferSchema(
    const std::vector<tfmd::DatasetFeatureStatistics>& splits,
    const SchemaInferenceOptions& options) {
  uint64_t examples = 0;
  for (const tfmd::DatasetFeatureStatistics& split : splits) {
    examples += split.num_examples();
  }
  if (examples == 0) {
    return absl::FailedPreconditionError(
        "there are no examples to infer a schema from");
  }
  RK_ASSIGN_OR_RETURN(const auto summaries, SummarizeFeatures(splits));
  tfmd::Schema schema;
  for (const auto& [name, summary] : summaries) {
    tfmd::Feature& feature = *schema.add_feature();
    feature.set_name(name);
    feature.set_type(TypeOf(summary.type));
    InferPresenceAndShape(summary, examples, options.infer_feature_shape,
                          feature);
    if (summary.type == StatisticsType::STRING) {
      InferStringDomain(summary, options.max_domain_values, feature, schema);
    } else if (summary.type == StatisticsType::INT && summary.min >= 0 &&
               summary.max == 1) {
      feature.mutable_bool_domain();
    }
  }
  return schema;
}

}  // namespace rekindle

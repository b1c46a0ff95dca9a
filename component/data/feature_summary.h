#ifndef REKINDLE_COMPONENT_DATA_FEATURE_SUMMARY_H_
#define REKINDLE_COMPONENT_DATA_FEATURE_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tensorflow_metadata/proto/v0/schema.pb.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {

// What the statistics of all splits say of one feature together, as far as a
// schema depends on it.
struct FeatureSummary {
  tensorflow::metadata::v0::FeatureNameStatistics::Type type =
      tensorflow::metadata::v0::FeatureNameStatistics::INT;
  uint64_t present = 0;     // examples that have it
  uint64_t min_values = 0;  // that one of them has
  uint64_t max_values = 0;
  double min = 0;  // of numbers
  double max = 0;
  std::set<std::string> strings;
  bool knows_all_strings = true;
  bool has_invalid_utf8 = false;
};

// By name; features without any value are left out.
//
//   FAILED_PRECONDITION  a feature has another type in another split
absl::StatusOr<std::map<std::string, FeatureSummary>> SummarizeFeatures(
    const std::vector<tensorflow::metadata::v0::DatasetFeatureStatistics>&
        splits);

// The feature's name, however the statistics give it.
std::string FeatureName(
    const tensorflow::metadata::v0::FeatureNameStatistics& feature);

// The part that all kinds of statistics have.
const tensorflow::metadata::v0::CommonStatistics& CommonOf(
    const tensorflow::metadata::v0::FeatureNameStatistics& feature);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_FEATURE_SUMMARY_H_

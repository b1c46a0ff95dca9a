#include "component/data/feature_summary.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;

void AddNumbers(const tfmd::NumericStatistics& stats, bool is_first,
                FeatureSummary& summary) {
  summary.min = is_first ? stats.min() : std::min(summary.min, stats.min());
  summary.max = is_first ? stats.max() : std::max(summary.max, stats.max());
}

void AddStrings(const tfmd::StringStatistics& stats, FeatureSummary& summary) {
  for (const auto& bucket : stats.rank_histogram().buckets()) {
    summary.strings.insert(bucket.label());
  }
  const auto known =
      static_cast<uint64_t>(stats.rank_histogram().buckets_size());
  if (stats.unique() > known) summary.knows_all_strings = false;
  if (stats.invalid_utf8_count() > 0) summary.has_invalid_utf8 = true;
}

absl::Status AddFeature(const tfmd::FeatureNameStatistics& feature,
                        FeatureSummary& summary) {
  const tfmd::CommonStatistics& common = CommonOf(feature);
  const bool is_first = summary.present == 0;
  if (!is_first && feature.type() != summary.type) {
    return absl::FailedPreconditionError(
        absl::StrCat("feature '", FeatureName(feature), "' is ",
                     tfmd::FeatureNameStatistics::Type_Name(summary.type),
                     " in one split and ",
                     tfmd::FeatureNameStatistics::Type_Name(feature.type()),
                     " in another; a feature must have one type"));
  }
  summary.type = feature.type();
  summary.min_values =
      is_first ? common.min_num_values()
               : std::min(summary.min_values, common.min_num_values());
  summary.max_values = std::max(summary.max_values, common.max_num_values());
  if (feature.has_num_stats()) {
    AddNumbers(feature.num_stats(), is_first, summary);
  } else {
    AddStrings(feature.string_stats(), summary);
  }
  summary.present += common.num_non_missing();
  return absl::OkStatus();
}

}  // namespace

std::string FeatureName(const tfmd::FeatureNameStatistics& feature) {
  if (feature.has_name()) return feature.name();
  return absl::StrJoin(feature.path().step(), ".");
}

const tfmd::CommonStatistics& CommonOf(
    const tfmd::FeatureNameStatistics& feature) {
  switch (feature.stats_case()) {
    case tfmd::FeatureNameStatistics::kStringStats:
      return feature.string_stats().common_stats();
    case tfmd::FeatureNameStatistics::kBytesStats:
      return feature.bytes_stats().common_stats();
    case tfmd::FeatureNameStatistics::kStructStats:
      return feature.struct_stats().common_stats();
    default:
      return feature.num_stats().common_stats();
  }
}

absl::StatusOr<std::map<std::string, FeatureSummary>> SummarizeFeatures(
    const std::vector<tfmd::DatasetFeatureStatistics>& splits) {
  std::map<std::string, FeatureSummary> summaries;
  for (const tfmd::DatasetFeatureStatistics& split : splits) {
    for (const tfmd::FeatureNameStatistics& feature : split.features()) {
      if (CommonOf(feature).num_non_missing() == 0) continue;
      RK_RETURN_IF_ERROR(AddFeature(feature, summaries[FeatureName(feature)]));
    }
  }
  return summaries;
}

}  // namespace rekindle

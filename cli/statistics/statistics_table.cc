#include "cli/statistics/statistics_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/table.h"
#include "component/data/feature_summary.h"
#include "component/steps/split_statistics.h"
#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;
using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

constexpr int kTopValuesShown = 3;
// Longer strings are cut in a table, between two characters.
constexpr size_t kLongestShown = 24;

// One bar for each bucket, as high as its share of the fullest.
std::string Bars(const tfmd::Histogram& histogram) {
  constexpr std::array<const char*, 9> kBars = {" ", "▁", "▂", "▃", "▄",
                                                "▅", "▆", "▇", "█"};
  double fullest = 0;
  for (const auto& bucket : histogram.buckets()) {
    fullest = std::max(fullest, bucket.sample_count());
  }
  std::string bars;
  for (const auto& bucket : histogram.buckets()) {
    const double share = fullest > 0 ? bucket.sample_count() / fullest : 0;
    bars += kBars[static_cast<size_t>(std::ceil(share * 8))];
  }
  return bars;
}

std::string Percent(double part, double whole) {
  return whole > 0 ? absl::StrFormat("%.1f%%", 100 * part / whole) : "-";
}

std::string MissingShare(const tfmd::CommonStatistics& common) {
  const auto missing = static_cast<double>(common.num_missing());
  return Percent(missing,
                 missing + static_cast<double>(common.num_non_missing()));
}

std::string TypeName(const tfmd::FeatureNameStatistics& feature) {
  return tfmd::FeatureNameStatistics::Type_Name(feature.type());
}

Row NumberRow(const tfmd::FeatureNameStatistics& feature) {
  const tfmd::NumericStatistics& stats = feature.num_stats();
  return {FeatureName(feature),
          TypeName(feature),
          absl::StrCat(stats.common_stats().num_non_missing()),
          MissingShare(stats.common_stats()),
          FigureOf(stats, stats.mean()),
          FigureOf(stats, stats.std_dev()),
          Percent(static_cast<double>(stats.num_zeros()),
                  static_cast<double>(stats.common_stats().tot_num_values())),
          FigureOf(stats, stats.min()),
          FigureOf(stats, stats.median()),
          FigureOf(stats, stats.max()),
          stats.histograms().empty() ? "" : Bars(stats.histograms(0))};
}

std::string CutShort(const std::string& value) {
  if (value.size() <= kLongestShown) return value;
  size_t end = kLongestShown;
  const auto is_inside = [](char c) { return (c & 0xC0) == 0x80; };
  while (end > 0 && is_inside(value[end])) --end;
  return absl::StrCat(value.substr(0, end), "…");
}

std::string TopValues(const tfmd::StringStatistics& stats) {
  std::string text;
  const auto all = static_cast<double>(stats.common_stats().tot_num_values());
  const int shown = std::min(kTopValuesShown, stats.top_values_size());
  for (int i = 0; i < shown; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ",
                    CutShort(stats.top_values(i).value()), " ",
                    Percent(stats.top_values(i).frequency(), all));
  }
  return text;
}

Row StringRow(const tfmd::FeatureNameStatistics& feature) {
  const tfmd::StringStatistics& stats = feature.string_stats();
  return {FeatureName(feature),
          TypeName(feature),
          absl::StrCat(stats.common_stats().num_non_missing()),
          MissingShare(stats.common_stats()),
          absl::StrCat(stats.unique()),
          ShortNumber(stats.avg_length()),
          TopValues(stats)};
}

// The table of those rows, if there are any.
std::string TableOf(Row header, const Rows& rows) {
  if (rows.empty()) return "";
  Rows all = {std::move(header)};
  all.insert(all.end(), rows.begin(), rows.end());
  return absl::StrCat("\n", ToTable(std::move(all)));
}

std::string SplitTable(const SplitStatistics& split) {
  Rows numbers;
  Rows strings;
  for (const tfmd::FeatureNameStatistics& feature :
       split.statistics.features()) {
    if (feature.has_string_stats()) {
      strings.push_back(StringRow(feature));
    } else {
      numbers.push_back(NumberRow(feature));
    }
  }
  return absl::StrCat(
      "split ", split.split, ": ", split.statistics.num_examples(),
      " examples\n",
      TableOf({"FEATURE", "TYPE", "PRESENT", "MISSING", "MEAN", "STD DEV",
               "ZEROS", "MIN", "MEDIAN", "MAX", "DISTRIBUTION"},
              numbers),
      TableOf({"FEATURE", "TYPE", "PRESENT", "MISSING", "UNIQUE", "AVG LENGTH",
               "MOST FREQUENT"},
              strings));
}

}  // namespace

std::string ShortNumber(double value) { return absl::StrFormat("%.5g", value); }

std::string FigureOf(const tfmd::NumericStatistics& stats, double figure) {
  const bool has_numbers =
      !stats.histograms().empty() &&
      stats.common_stats().tot_num_values() > stats.histograms(0).num_nan();
  return has_numbers ? ShortNumber(figure) : "-";
}

std::string ToStatisticsTable(const std::vector<SplitStatistics>& splits) {
  std::string text;
  for (const SplitStatistics& split : splits) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", SplitTable(split));
  }
  return text;
}

nlohmann::json ToStatisticsJson(const std::vector<SplitStatistics>& splits) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  nlohmann::json all = nlohmann::json::object();
  for (const SplitStatistics& split : splits) {
    std::string text;
    // Printing a message of ours cannot fail: it has no Any.
    (void)google::protobuf::util::MessageToJsonString(split.statistics, &text,
                                                      options);
    all[split.split] = nlohmann::json::parse(text);
  }
  return all;
}

}  // namespace rekindle

#include "cli/statistics/statistics_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "cli/statistics/statistics_table.h"
#include "component/data/feature_summary.h"
#include "component/steps/split_statistics.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;
using Feature = tfmd::FeatureNameStatistics;

// From where to where the numbers of a feature reach, in all splits.
struct Scale {
  double low = 0;
  double high = 0;

  // Where on a line of that width a number is.
  double Place(double value, double width) const {
    if (!(high > low)) return value > low ? width : 0;
    return width * std::clamp((value - low) / (high - low), 0.0, 1.0);
  }
};

// A split, and what it says of the feature that is being shown.
struct SplitFeature {
  const SplitStatistics* split = nullptr;
  const Feature* feature = nullptr;  // null: the split does not have it
  size_t index = 0;
};

constexpr absl::string_view kStyle = R"(
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #1c2430; background: #fff; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; }
h2 { font-size: 1rem; margin: 2rem 0 .4rem; }
h2 small { font-weight: normal; color: #67717e; margin-left: .5em; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th { text-align: right; font-weight: 500; color: #67717e; font-size: 12px; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #e4e8ed; vertical-align: middle; }
td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th:first-child, td:first-child, th.left, td.left { text-align: left; overflow-wrap: anywhere; }
th.values { width: 60%; } th.chart { width: 220px; }
td.left { white-space: normal; }
.warn { color: #b3261e; font-weight: 600; }
.dot { display: inline-block; width: .7em; height: .7em; border-radius: 50%; margin-right: .5em; }
.value { display: inline-block; margin-right: 1em; }
.value b { font-weight: 500; }
nav { margin: .8rem 0 0; columns: 14rem; }
nav a { display: block; color: #1a5fb4; text-decoration: none; }
svg { display: block; }
@media (prefers-color-scheme: dark) {
  body { color: #e3e7ec; background: #14181d; } th, td { border-color: #2c343d; } nav a { color: #7ab3f0; } .warn { color: #ff8a80; }
}
)";

std::string Escape(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// Colours that people with any sight can tell apart (Okabe and Ito's).
absl::string_view ColourOf(size_t split) {
  constexpr std::array<absl::string_view, 6> kColours = {
      "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
  return kColours[split % kColours.size()];
}

std::string Cell(absl::string_view content, absl::string_view kind = "") {
  return absl::StrCat("<td",
                      kind.empty() ? "" : absl::StrCat(" class=\"", kind, "\""),
                      ">", content, "</td>");
}

std::string Percent(double part, double whole) {
  return whole > 0 ? absl::StrFormat("%.1f %%", 100 * part / whole) : "";
}

// A histogram as bars, on a scale that all splits share.
std::string Chart(const tfmd::Histogram& histogram, const Scale& scale,
                  absl::string_view colour) {
  constexpr double kThinnest = 2;
  constexpr double kWidth = 200;
  constexpr double kHeight = 36;
  double fullest = 1;
  for (const auto& bucket : histogram.buckets()) {
    fullest = std::max(fullest, bucket.sample_count());
  }
  std::string chart = absl::StrFormat(
      "<svg width=\"%g\" height=\"%g\" role=\"img\">", kWidth, kHeight);
  for (const auto& bucket : histogram.buckets()) {
    const double left = scale.Place(bucket.low_value(), kWidth - kThinnest);
    const double right = scale.Place(bucket.high_value(), kWidth);
    const double height = kHeight * bucket.sample_count() / fullest;
    absl::StrAppendFormat(
        &chart,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
        "fill=\"%s\"><title>%s to %s: %s</title></rect>",
        left, kHeight - height, std::max(kThinnest, right - left - 1), height,
        colour, ShortNumber(bucket.low_value()),
        ShortNumber(bucket.high_value()), ShortNumber(bucket.sample_count()));
  }
  return absl::StrCat(chart, "</svg>");
}

// The cells that every feature has: split, examples with it, missing ones.
std::string CommonCells(const SplitFeature& shown) {
  const tfmd::CommonStatistics& common = CommonOf(*shown.feature);
  const auto missing = static_cast<double>(common.num_missing());
  const double all = missing + static_cast<double>(common.num_non_missing());
  return absl::StrCat(
      Cell(absl::StrCat(
          "<span class=\"dot\" style=\"background:", ColourOf(shown.index),
          "\"></span>", Escape(shown.split->split))),
      Cell(absl::StrCat(common.num_non_missing())),
      Cell(Percent(missing, all), missing > 0 ? "warn" : ""));
}

std::string NumberCells(const SplitFeature& shown, const Scale& scale) {
  const tfmd::NumericStatistics& stats = shown.feature->num_stats();
  std::string cells;
  for (const double value : {stats.mean(), stats.std_dev()}) {
    absl::StrAppend(&cells, Cell(FigureOf(stats, value)));
  }
  absl::StrAppend(
      &cells, Cell(Percent(
                  static_cast<double>(stats.num_zeros()),
                  static_cast<double>(stats.common_stats().tot_num_values()))));
  for (const double value : {stats.min(), stats.median(), stats.max()}) {
    absl::StrAppend(&cells, Cell(FigureOf(stats, value)));
  }
  return absl::StrCat(
      cells, Cell(stats.histograms().empty() ? ""
                                             : Chart(stats.histograms(0), scale,
                                                     ColourOf(shown.index)),
                  "left"));
}

std::string StringCells(const SplitFeature& shown) {
  constexpr int kValuesShown = 8;
  const tfmd::StringStatistics& stats = shown.feature->string_stats();
  const auto all = static_cast<double>(stats.common_stats().tot_num_values());
  std::string values;
  for (int i = 0; i < std::min(kValuesShown, stats.top_values_size()); ++i) {
    absl::StrAppend(&values, "<span class=\"value\"><b>",
                    Escape(stats.top_values(i).value()), "</b> ",
                    Percent(stats.top_values(i).frequency(), all), "</span>");
  }
  return absl::StrCat(Cell(absl::StrCat(stats.unique())),
                      Cell(ShortNumber(stats.avg_length())),
                      Cell(values, "left"));
}

std::string Header(bool is_string) {
  return absl::StrCat(
      "<tr><th>split</th><th>present</th><th>missing</th>",
      is_string ? "<th>unique</th><th>avg length</th><th class=\"left values\">"
                  "most frequent</th>"
                : "<th>mean</th><th>std dev</th><th>zeros</th><th>min</th>"
                  "<th>median</th><th>max</th><th class=\"left chart\">"
                  "distribution</th>",
      "</tr>\n");
}

std::string SplitRow(const SplitFeature& shown, const Scale& scale) {
  if (shown.feature == nullptr) {
    return absl::StrCat("<tr><td>", Escape(shown.split->split),
                        "</td><td class=\"left warn\" colspan=\"9\">does not "
                        "have it</td></tr>\n");
  }
  return absl::StrCat("<tr>", CommonCells(shown),
                      shown.feature->has_string_stats()
                          ? StringCells(shown)
                          : NumberCells(shown, scale),
                      "</tr>\n");
}

Scale ScaleOf(const std::vector<SplitFeature>& rows) {
  Scale scale{std::numeric_limits<double>::infinity(),
              -std::numeric_limits<double>::infinity()};
  for (const SplitFeature& row : rows) {
    if (row.feature == nullptr) continue;
    for (const auto& histogram : row.feature->num_stats().histograms()) {
      for (const auto& bucket : histogram.buckets()) {
        for (const double value : {bucket.low_value(), bucket.high_value()}) {
          if (!std::isfinite(value)) continue;
          scale.low = std::min(scale.low, value);
          scale.high = std::max(scale.high, value);
        }
      }
    }
  }
  return scale;
}

std::string FeatureSection(const std::string& name,
                           const std::vector<SplitFeature>& rows) {
  const auto known = std::find_if(
      rows.begin(), rows.end(),
      [](const SplitFeature& row) { return row.feature != nullptr; });
  std::string section = absl::StrCat(
      "<h2 id=\"", Escape(name), "\">", Escape(name), "<small>",
      Feature::Type_Name(known->feature->type()), "</small></h2>\n<table>",
      Header(known->feature->has_string_stats()));
  const Scale scale = ScaleOf(rows);
  for (const SplitFeature& row : rows) {
    absl::StrAppend(&section, SplitRow(row, scale));
  }
  return absl::StrCat(section, "</table>\n");
}

// By feature, a row for each split.
std::map<std::string, std::vector<SplitFeature>> ByFeature(
    const std::vector<SplitStatistics>& splits) {
  std::map<std::string, std::vector<SplitFeature>> by_name;
  for (size_t i = 0; i < splits.size(); ++i) {
    for (const Feature& feature : splits[i].statistics.features()) {
      std::vector<SplitFeature>& rows = by_name[FeatureName(feature)];
      for (size_t j = rows.size(); j < splits.size(); ++j) {
        rows.push_back({&splits[j], nullptr, j});
      }
      rows[i].feature = &feature;
    }
  }
  return by_name;
}

}  // namespace

std::string ToStatisticsPage(const std::string& title,
                             const std::vector<SplitStatistics>& splits) {
  std::string page = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
      Escape(title), "</title>\n<style>", kStyle, "</style></head>\n<body>\n",
      "<h1>", Escape(title), "</h1>\n<div>");
  for (size_t i = 0; i < splits.size(); ++i) {
    absl::StrAppend(&page,
                    "<span class=\"value\"><span class=\"dot\" "
                    "style=\"background:",
                    ColourOf(i), "\"></span>", Escape(splits[i].split), " <b>",
                    splits[i].statistics.num_examples(),
                    "</b> examples</span>");
  }
  const auto by_feature = ByFeature(splits);
  absl::StrAppend(&page, "</div>\n<nav>");
  for (const auto& [name, rows] : by_feature) {
    absl::StrAppend(&page, "<a href=\"#", Escape(name), "\">", Escape(name),
                    "</a>");
  }
  absl::StrAppend(&page, "</nav>\n");
  for (const auto& [name, rows] : by_feature) {
    absl::StrAppend(&page, FeatureSection(name, rows));
  }
  return absl::StrCat(page, "</body>\n</html>\n");
}

}  // namespace rekindle

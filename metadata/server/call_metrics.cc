#include "metadata/server/call_metrics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rekindle {
namespace {

void AppendHeader(absl::string_view name, absl::string_view type,
                  absl::string_view help, std::string* text) {
  absl::StrAppend(text, "# HELP ", name, " ", help, "\n", "# TYPE ", name, " ",
                  type, "\n");
}

}  // namespace

void CallMetrics::Begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++in_flight_;
}

void CallMetrics::End(absl::string_view transport, absl::string_view method,
                      absl::StatusCode code, absl::Duration took) {
  const size_t bucket = std::lower_bound(kBuckets.begin(), kBuckets.end(),
                                         absl::ToDoubleSeconds(took)) -
                        kBuckets.begin();
  const std::lock_guard<std::mutex> lock(mutex_);
  --in_flight_;
  Series& series = series_[{std::string(transport), std::string(method)}];
  ++series.calls_by_code[code];
  ++series.calls_by_bucket[bucket];
  series.total += took;
}

void CallMetrics::Publish(absl::string_view name, absl::string_view type,
                          absl::string_view help,
                          std::function<double()> value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  published_.push_back({name, type, help, std::move(value)});
}

std::string CallMetrics::ToText() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  AppendMetric("rekindle_requests_in_flight", "gauge",
               "Calls that have begun and not ended.",
               static_cast<double>(in_flight_), &text);
  for (const Published& each : published_) {
    AppendMetric(each.name, each.type, each.help, each.value(), &text);
  }
  AppendCounts(&text);
  AppendDurations(&text);
  return text;
}

void CallMetrics::AppendCounts(std::string* text) const {
  constexpr absl::string_view kName = "rekindle_requests_total";
  AppendHeader(kName, "counter", "Calls that have ended, by their status.",
               text);
  for (const auto& [key, series] : series_) {
    for (const auto& [code, calls] : series.calls_by_code) {
      absl::StrAppendFormat(
          text, "%s{transport=\"%s\",method=\"%s\",code=\"%s\"} %d\n", kName,
          key.first, key.second, absl::StatusCodeToString(code), calls);
    }
  }
}

void CallMetrics::AppendDurations(std::string* text) const {
  constexpr absl::string_view kName = "rekindle_request_duration_seconds";
  AppendHeader(kName, "histogram", "How long calls took.", text);
  for (const auto& [key, series] : series_) {
    const std::string labels = absl::StrFormat("transport=\"%s\",method=\"%s\"",
                                               key.first, key.second);
    int64_t so_far = 0;
    for (size_t i = 0; i < series.calls_by_bucket.size(); ++i) {
      so_far += series.calls_by_bucket[i];
      absl::StrAppendFormat(
          text, "%s_bucket{%s,le=\"%s\"} %d\n", kName, labels,
          i < kBuckets.size() ? absl::StrCat(kBuckets[i]) : "+Inf", so_far);
    }
    absl::StrAppendFormat(text, "%s_sum{%s} %g\n", kName, labels,
                          absl::ToDoubleSeconds(series.total));
    absl::StrAppendFormat(text, "%s_count{%s} %d\n", kName, labels, so_far);
  }
}

void AppendMetric(absl::string_view name, absl::string_view type,
                  absl::string_view help, double value, std::string* text) {
  AppendHeader(name, type, help, text);
  absl::StrAppendFormat(text, "%s %.17g\n", name, value);
}

}  // namespace rekindle

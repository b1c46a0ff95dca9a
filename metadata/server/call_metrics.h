// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_CALL_METRICS_H_
#define REKINDLE_METADATA_SERVER_CALL_METRICS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rekindle {

// How many calls there were and how long they took, for Prometheus.
// Thread-safe.
class CallMetrics {
 public:
  // A call begins and, once, ends. `transport` is "grpc" or "http".
  void Begin();
  void End(absl::string_view transport, absl::string_view method,
           absl::StatusCode code, absl::Duration took);

  // Adds a metric without labels, whose value is asked for by ToText(). `name`,
  // `type` and `help` are literals.
  void Publish(absl::string_view name, absl::string_view type,
               absl::string_view help, std::function<double()> value);

  // What was published, and the metrics rekindle_requests_total,
  // rekindle_request_duration_seconds and rekindle_requests_in_flight in
  // Prometheus' text format.
  std::string ToText() const;

 private:
  // Upper bounds in seconds; one more bucket takes what is slower.
  static constexpr std::array<double, 12> kBuckets = {
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30};

  struct Published {
    absl::string_view name;
    absl::string_view type;
    absl::string_view help;
    std::function<double()> value;
  };

  struct Series {
    std::map<absl::StatusCode, int64_t> calls_by_code;
    std::array<int64_t, kBuckets.size() + 1> calls_by_bucket = {};
    absl::Duration total;
  };

  // Both are called with mutex_ held.
  void AppendCounts(std::string* text) const;
  void AppendDurations(std::string* text) const;

  mutable std::mutex mutex_;
  // Guarded by mutex_. By transport and method.
  std::map<std::pair<std::string, std::string>, Series> series_;
  int64_t in_flight_ = 0;
  std::vector<Published> published_;
};

// One metric without labels: its HELP and TYPE lines and its value.
void AppendMetric(absl::string_view name, absl::string_view type,
                  absl::string_view help, double value, std::string* text);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_CALL_METRICS_H_

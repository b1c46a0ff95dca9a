#include "operator/submit/pod_log.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

// A container that has not started yet is refused like one that is not there.
bool HasNotStarted(const absl::Status& read) {
  return absl::IsInvalidArgument(read) &&
         absl::StrContains(read.message(), "waiting to start");
}

// Whether the container will say no more: it ended, or its pod did.
absl::StatusOr<bool> HasEnded(const std::string& in_namespace,
                              const std::string& pod,
                              const std::string& container,
                              KubeClient& client) {
  const absl::StatusOr<json> now = client.Get(kPods, in_namespace, pod);
  if (absl::IsNotFound(now.status())) return true;
  if (!now.ok()) return now.status();
  const std::string phase = TextAt(*now, "/status/phase");
  if (phase == "Succeeded" || phase == "Failed") return true;
  const json::json_pointer at("/status/containerStatuses");
  if (!now->contains(at)) return false;
  for (const json& status : (*now)[at]) {
    if (TextAt(status, "/name") != container) continue;
    return status.contains("state") && status["state"].contains("terminated");
  }
  return false;
}

}  // namespace

void LogLines::Feed(absl::string_view bytes) {
  for (;;) {
    const size_t end = bytes.find('\n');
    unfinished_.append(bytes.data(), std::min(end, bytes.size()));
    if (end == absl::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    TakeLine(unfinished_);
    unfinished_.clear();
  }
}

void LogLines::End(bool complete) {
  if (complete && !unfinished_.empty()) TakeLine(unfinished_);
  unfinished_.clear();
  repeated_at_last_ = 0;
}

void LogLines::TakeLine(absl::string_view line) {
  const size_t space = line.find(' ');
  absl::Time at;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, line.substr(0, space), &at,
                       &error)) {
    sink_(line);  // not from a log: what a node says of it
    return;
  }
  if (last_.has_value() && at < *last_) return;
  if (last_ == at) {
    if (repeated_at_last_ < seen_at_last_) {
      ++repeated_at_last_;
      return;
    }
    ++repeated_at_last_;
    ++seen_at_last_;
  } else {
    last_ = at;
    seen_at_last_ = 1;
    repeated_at_last_ = 1;
  }
  sink_(space == absl::string_view::npos ? "" : line.substr(space + 1));
}

absl::Status ReadWholeLog(const std::string& in_namespace,
                          const std::string& pod, LogOptions options,
                          const Backoff::Options& backoff_options,
                          KubeClient& client, const LogLines::Sink& sink) {
  options.timestamps = true;
  LogLines lines(sink);
  std::optional<Backoff> backoff(backoff_options);
  for (;;) {
    const auto before = lines.last();
    absl::Status read =
        client.ReadLog(in_namespace, pod, options, [&](absl::string_view text) {
          lines.Feed(text);
          return true;
        });
    lines.End(/*complete=*/read.ok());
    const bool silent = read.ok() || HasNotStarted(read);
    if (!silent && !IsTransient(read)) return read;
    if (silent && !options.follow) return absl::OkStatus();
    const absl::StatusOr<bool> ended =
        HasEnded(in_namespace, pod, options.container, client);
    if (ended.ok() && *ended && silent) return absl::OkStatus();
    if (lines.last() != before) backoff.emplace(backoff_options);
    if (!backoff->WaitForNextTry()) return read;
    if (lines.last().has_value()) {
      options.since = lines.last();
      options.tail_lines.reset();
    }
  }
}

}  // namespace rekindle::argo

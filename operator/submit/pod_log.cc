#include "operator/submit/pod_log.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

// By how much a line may be older than one before it, and still be found after
// a cut.
constexpr absl::Duration kDisorder = absl::Seconds(5);

// A connection that was cut after so long was a good one, though a silent one.
constexpr absl::Duration kLasting = absl::Seconds(5);

// A container that has not started yet is refused like one that is not there.
bool HasNotStarted(const absl::Status& read) {
  return absl::IsInvalidArgument(read) &&
         absl::StrContains(read.message(), "waiting to start");
}

// The part of a pod's status that is about the container; null if there is
// none.
json StatusOfContainer(const json& pod, const std::string& container) {
  for (const char* key : {"containerStatuses", "initContainerStatuses",
                          "ephemeralContainerStatuses"}) {
    const json::json_pointer at = json::json_pointer("/status") / key;
    if (!pod.contains(at)) continue;
    for (const json& status : pod[at]) {
      if (TextAt(status, "/name") == container) return status;
    }
  }
  return nullptr;
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
  const json status = StatusOfContainer(*now, container);
  return status.contains(json::json_pointer("/state/terminated"));
}

// Whether there is no more to read, after a connection that ended with `read`.
// What may be tried again is UNAVAILABLE.
absl::StatusOr<bool> HasEndedWith(const absl::Status& read,
                                  const std::string& in_namespace,
                                  const std::string& pod,
                                  const LogOptions& options,
                                  KubeClient& client) {
  if (absl::IsDataLoss(read)) return absl::UnavailableError(read.message());
  if (!read.ok() && !HasNotStarted(read)) return read;
  if (!options.follow) return true;
  return HasEnded(in_namespace, pod, options.container, client);
}

// The pauses between connections to a log. Thread-compatible.
class Reconnection {
 public:
  explicit Reconnection(const FollowOptions& options) : options_(options) {}

  // Waits for the next try, after one that ended with `status`; `connected`
  // says that it was a good one before. An error when the log was out of reach
  // for too long, or we are interrupted.
  absl::Status Wait(const absl::Status& status, bool connected) {
    const bool lost = IsTransient(status);
    if (!backoff_.has_value() || connected || lost != lost_) Restart(lost);
    lost_ = lost;
    if (connected || !lost) told_ = false;
    if (lost && !connected && !told_) {
      told_ = true;
      if (options_.on_lost) options_.on_lost(status);
    }
    if (backoff_->WaitForNextTry()) return absl::OkStatus();
    return lost ? status : absl::CancelledError("interrupted");
  }

 private:
  // A container that is silent is waited for as long as it is.
  void Restart(bool lost) {
    Backoff::Options pauses = options_.backoff;
    if (!lost) pauses.total = absl::InfiniteDuration();
    backoff_.emplace(pauses);
  }

  const FollowOptions& options_;
  std::optional<Backoff> backoff_;
  bool lost_ = false;
  bool told_ = false;
};

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
  repeating_ = last_.has_value();
  repeated_at_last_ = 0;
}

std::optional<absl::Time> LogLines::resume_from() const {
  if (!last_.has_value()) return std::nullopt;
  return *last_ - kDisorder;
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
  if (IsRepeated(at)) return;
  Remember(at);
  sink_(space == absl::string_view::npos ? "" : line.substr(space + 1));
}

// What is new stands behind the last line that we have, whatever its time: that
// line is recognised by its time and, as others may have the same, by how many
// there are.
bool LogLines::IsRepeated(absl::Time at) {
  // A log that was rotated begins behind the last line.
  if (at > newest_) repeating_ = false;
  if (!repeating_) return false;
  if (at == *last_) repeating_ = ++repeated_at_last_ < recent_[at];
  return true;
}

void LogLines::Remember(absl::Time at) {
  ++count_;
  last_ = at;
  newest_ = std::max(newest_, at);
  ++recent_[at];
  recent_.erase(recent_.begin(), recent_.lower_bound(at - kDisorder));
}

absl::Status ReadWholeLog(const std::string& in_namespace,
                          const std::string& pod, LogOptions options,
                          const FollowOptions& follow, KubeClient& client,
                          const LogLines::Sink& sink) {
  options.timestamps = true;
  LogLines lines(sink);
  Reconnection reconnection(follow);
  const Clock& clock = *follow.backoff.clock;
  for (;;) {
    const int64_t before = lines.count();
    const absl::Time begin = clock.Now();
    const absl::Status read =
        client.ReadLog(in_namespace, pod, options, [&](absl::string_view text) {
          lines.Feed(text);
          return true;
        });
    const bool lasted =
        absl::IsDataLoss(read) && clock.Now() - begin >= kLasting;
    const absl::StatusOr<bool> ended =
        HasEndedWith(read, in_namespace, pod, options, client);
    lines.End(/*complete=*/ended.ok() && *ended);
    if (ended.ok() && *ended) return absl::OkStatus();
    if (!ended.ok() && !IsTransient(ended)) return ended.status();
    RK_RETURN_IF_ERROR(
        reconnection.Wait(ended.status(), lasted || lines.count() > before));
    if (lines.resume_from().has_value()) {
      options.since = lines.resume_from();
      options.tail_lines.reset();
    }
  }
}

}  // namespace rekindle::argo

#ifndef REKINDLE_OPERATOR_SUBMIT_POD_LOG_H_
#define REKINDLE_OPERATOR_SUBMIT_POD_LOG_H_
// Internal to operator/submit.

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "operator/kube/kube_client.h"

namespace rekindle::argo {

// Cuts a log with timestamps into lines, and passes over those that an earlier
// connection brought already. Thread-compatible.
class LogLines {
 public:
  using Sink = std::function<void(absl::string_view line)>;
  explicit LogLines(Sink sink) : sink_(std::move(sink)) {}

  void Feed(absl::string_view bytes);
  // The connection is over. A line without an end is one if `complete`, else it
  // is asked for again.
  void End(bool complete);

  // Of the last line; nullopt before the first.
  std::optional<absl::Time> last() const { return last_; }

 private:
  void TakeLine(absl::string_view line);

  const Sink sink_;
  std::string unfinished_;
  std::optional<absl::Time> last_;
  int seen_at_last_ = 0;      // lines with that very time
  int repeated_at_last_ = 0;  // of those, how many this connection brought
};

// Reads the log of a container to its end, through cuts of the connection; if
// `options.follow`, until the container has ended.
//
// A container that never started has none.
//
//   NOT_FOUND  there is no such pod
//   and as KubeClient::ReadLog
absl::Status ReadWholeLog(const std::string& in_namespace,
                          const std::string& pod, LogOptions options,
                          const Backoff::Options& backoff, KubeClient& client,
                          const LogLines::Sink& sink);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_SUBMIT_POD_LOG_H_

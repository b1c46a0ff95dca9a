#ifndef REKINDLE_OPERATOR_SUBMIT_POD_LOG_H_
#define REKINDLE_OPERATOR_SUBMIT_POD_LOG_H_
// Internal to operator/submit.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"

namespace rekindle::argo {

// Cuts a log with timestamps into lines, and passes over those that an earlier
// connection brought already. A line may be a little older than the one before
// it: a container's two streams are stamped apart from each other. A clock that
// is set back makes it much older. Thread-compatible.
class LogLines {
 public:
  using Sink = std::function<void(absl::string_view line)>;
  explicit LogLines(Sink sink) : sink_(std::move(sink)) {}

  void Feed(absl::string_view bytes);
  // The connection is over. A line without an end is one if `complete`, else it
  // is asked for again.
  void End(bool complete);

  // Since when the next connection has to ask for lines, so that none is
  // missing; nullopt before the first.
  std::optional<absl::Time> resume_from() const;
  // How many lines there were so far.
  int64_t count() const { return count_; }

 private:
  void TakeLine(absl::string_view line);
  // Whether a line of that time is not new.
  bool IsRepeated(absl::Time at);
  void Remember(absl::Time at);

  const Sink sink_;
  std::string unfinished_;
  int64_t count_ = 0;
  std::optional<absl::Time> last_;            // of the last line
  absl::Time newest_ = absl::InfinitePast();  // of any line
  std::map<absl::Time, int> recent_;          // lines, by their time
  bool repeating_ = false;                    // what came before
  int repeated_at_last_ = 0;                  // lines with that very time
};

// Reads the log of a container to its end, through cuts of the connection; if
// `options.follow`, until the container has ended, however long it is silent.
// `follow.backoff` says how long the log may be out of reach, and
// `follow.on_lost` is told once for each time that it is.
//
// A container that never started has none.
//
//   NOT_FOUND    there is no such pod
//   UNAVAILABLE  the log was out of reach for too long
//   and as KubeClient::ReadLog and, if options.follow, KubeClient::Get
absl::Status ReadWholeLog(const std::string& in_namespace,
                          const std::string& pod, LogOptions options,
                          const FollowOptions& follow, KubeClient& client,
                          const LogLines::Sink& sink);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_SUBMIT_POD_LOG_H_

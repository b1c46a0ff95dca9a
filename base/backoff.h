#ifndef REKINDLE_BASE_BACKOFF_H_
#define REKINDLE_BASE_BACKOFF_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace rekindle {

// Waits, or returns false early because there is no point in waiting.
using Sleeper = std::function<bool(absl::Duration)>;

// The pauses between tries: each up to twice as long as the one before, and of
// random length, so that many who wait for the same thing do not come back at
// once. Thread-compatible.
class Backoff {
 public:
  struct Options {
    absl::Duration first = absl::Milliseconds(100);
    absl::Duration longest = absl::Seconds(5);
    absl::Duration total = absl::Minutes(5);  // counted from now
    const Clock* clock = &SystemClock();      // not owned
    Sleeper sleep;
    // Between 0 and 1.
    std::function<double()> random = RandomShare;
  };

  explicit Backoff(Options options);

  // Waits until the next try is due. False when the time is over, or the
  // sleeper says so.
  bool WaitForNextTry();

 private:
  static double RandomShare();

  const Options options_;
  const absl::Time give_up_;
  absl::Duration pause_;
};

// Whether a call may be repeated as it was: the other side was not there, or
// did not answer.
inline bool IsTransient(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

template <typename T>
bool IsTransient(const absl::StatusOr<T>& answer) {
  return IsTransient(answer.status());
}

// What `call` answers, a Status or a StatusOr, once the other side is there
// again, or its last answer.
template <typename Call>
auto RetryWhileTransient(Backoff backoff, const Call& call) {
  auto answer = call();
  while (IsTransient(answer) && backoff.WaitForNextTry()) answer = call();
  return answer;
}

}  // namespace rekindle

#endif  // REKINDLE_BASE_BACKOFF_H_

// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_RESET_GUARD_H_
#define REKINDLE_METADATA_SERVER_LIMITS_RESET_GUARD_H_

#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace rekindle {

// Finds connections that begin calls only to reset them, which costs the server
// much and them nothing (CVE-2023-44487). Thread-safe.
class ResetGuard {
 public:
  // So many within a second are too many.
  static constexpr int kMaxResets = 50;

  // `clock` is not owned and must outlive this.
  explicit ResetGuard(const Clock& clock) : clock_(clock) {}

  // Notes a call of the connection `peer` that was reset before it began. True,
  // once a second, if the connection should be closed.
  bool Note(const std::string& peer);

 private:
  const Clock& clock_;
  absl::Mutex mutex_;
  absl::Time second_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::map<std::string, int> resets_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_RESET_GUARD_H_

#include "metadata/server/limits/reset_guard.h"

#include <string>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace rekindle {

bool ResetGuard::Note(const std::string& peer) {
  const absl::Time now = clock_.Now();
  const absl::MutexLock lock(&mutex_);
  if (now - second_ >= absl::Seconds(1)) {
    second_ = now;
    resets_.clear();
  }
  return ++resets_[peer] == kMaxResets;
}

}  // namespace rekindle

#include "metadata/server/limits/stall_guard.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace rekindle {

StallGuard::Watch::~Watch() {
  const absl::MutexLock lock(&guard_.mutex_);
  guard_.calls_.erase(call_);
}

bool StallGuard::Watch::stalled() const {
  const absl::MutexLock lock(&guard_.mutex_);
  return call_->stalled;
}

StallGuard::~StallGuard() {
  if (!stopped_.HasBeenNotified()) stopped_.Notify();
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<StallGuard::Watch> StallGuard::Begin(
    std::function<void()> end) {
  const absl::Time until = clock_.Now() + patience_;
  const absl::MutexLock lock(&mutex_);
  const auto call = calls_.insert(calls_.end(), Call{std::move(end), until});
  return absl::WrapUnique(new Watch(*this, call));
}

void StallGuard::Start() {
  const absl::Duration often =
      std::clamp(patience_ / 4, absl::Milliseconds(10), absl::Seconds(1));
  thread_ = std::thread([this, often] {
    while (!stopped_.WaitForNotificationWithTimeout(often)) Look();
  });
}

void StallGuard::Look() {
  const absl::Time now = clock_.Now();
  const absl::MutexLock lock(&mutex_);
  for (Call& call : calls_) {
    if (call.stalled || call.until > now) continue;
    call.stalled = true;
    ++stalled_;
    call.end();
  }
}

int64_t StallGuard::stalled() const {
  const absl::MutexLock lock(&mutex_);
  return stalled_;
}

}  // namespace rekindle

#include "base/deadline.h"

#include <algorithm>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace rekindle {
namespace {

thread_local absl::Time current = absl::InfiniteFuture();

}  // namespace

ScopedDeadline::ScopedDeadline(absl::Time deadline) : enclosing_(current) {
  current = std::min(current, deadline);
}

ScopedDeadline::~ScopedDeadline() { current = enclosing_; }

absl::Time CurrentDeadline() { return current; }

bool DeadlinePassed() {
  return current != absl::InfiniteFuture() && absl::Now() >= current;
}

}  // namespace rekindle

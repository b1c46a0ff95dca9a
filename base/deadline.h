#ifndef REKINDLE_BASE_DEADLINE_H_
#define REKINDLE_BASE_DEADLINE_H_

#include "absl/time/time.h"

namespace rekindle {

// Says, as long as it lives, until when the work of this thread is waited for.
// An enclosing one that is earlier stays in force. Work that can take long asks
// DeadlinePassed() now and then and gives up with DEADLINE_EXCEEDED.
class ScopedDeadline {
 public:
  explicit ScopedDeadline(absl::Time deadline);
  ~ScopedDeadline();
  ScopedDeadline(const ScopedDeadline&) = delete;
  ScopedDeadline& operator=(const ScopedDeadline&) = delete;

 private:
  const absl::Time enclosing_;
};

// The deadline of this thread's work; absl::InfiniteFuture() if it has none.
absl::Time CurrentDeadline();

// Whether that time is over.
bool DeadlinePassed();

}  // namespace rekindle

#endif  // REKINDLE_BASE_DEADLINE_H_

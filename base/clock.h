#ifndef REKINDLE_BASE_CLOCK_H_
#define REKINDLE_BASE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace rekindle {

// The source of wall time. Injected, so that a test can set and turn it.
// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;

  // Now() in whole milliseconds since the Unix epoch, the unit ML Metadata
  // stores.
  int64_t NowMillis() const { return absl::ToUnixMillis(Now()); }
};

// The system's clock; never destroyed.
const Clock& SystemClock();

// Stands still until told otherwise.
class FakeClock : public Clock {
 public:
  explicit FakeClock(absl::Time now) : micros_(absl::ToUnixMicros(now)) {}

  absl::Time Now() const override { return absl::FromUnixMicros(micros_); }
  void Advance(absl::Duration by) { micros_ += absl::ToInt64Microseconds(by); }

 private:
  std::atomic<int64_t> micros_;
};

}  // namespace rekindle

#endif  // REKINDLE_BASE_CLOCK_H_

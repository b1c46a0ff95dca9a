#include "base/clock.h"

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace rekindle {
namespace {

class RealClock : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

}  // namespace

const Clock& SystemClock() {
  static const auto& clock = *new RealClock;
  return clock;
}

}  // namespace rekindle

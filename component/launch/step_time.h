#ifndef REKINDLE_COMPONENT_LAUNCH_STEP_TIME_H_
#define REKINDLE_COMPONENT_LAUNCH_STEP_TIME_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"

namespace rekindle {

// What is to be done again and again: does it once, and returns the pause until
// the next time; nullopt for never again.
using Tick = std::function<std::optional<absl::Duration>()>;

// Ticks until it is destroyed; from then on no tick is under way.
class Ticker {
 public:
  virtual ~Ticker() = default;
};

// Ticks from a thread of its own, for the first time after `first`.
std::unique_ptr<Ticker> StartTickerThread(absl::Duration first, Tick tick);

// Waits, but not once one of the descriptors is readable. False when one is.
bool WaitUnlessReadable(absl::Duration duration, const std::vector<int>& fds);

// Time as a step lives it: what o'clock it is, how to let time pass, and what
// else happens meanwhile. A simulation has a time of its own. A value type.
struct StepTime {
  const Clock* clock = &SystemClock();  // not owned
  std::function<bool(absl::Duration, const std::vector<int>& fds)> wait =
      WaitUnlessReadable;
  std::function<std::unique_ptr<Ticker>(absl::Duration first, Tick tick)>
      start_ticker = StartTickerThread;
  // Between 0 and 1, for the length of pauses; unset: random.
  std::function<double()> share;

  absl::Time Now() const { return clock->Now(); }
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_STEP_TIME_H_

#include "base/backoff.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/time/time.h"

namespace rekindle {

Backoff::Backoff(Options options)
    : options_(std::move(options)),
      give_up_(options_.clock->Now() + options_.total),
      pause_(options_.first) {}

bool Backoff::WaitForNextTry() {
  const absl::Duration left = give_up_ - options_.clock->Now();
  if (left <= absl::ZeroDuration()) return false;
  // At least half of it: never a tight loop.
  const absl::Duration pause = pause_ * (0.5 + options_.random() / 2);
  pause_ = std::min(2 * pause_, options_.longest);
  return options_.sleep(std::min(pause, left));
}

double Backoff::RandomShare() {
  thread_local std::mt19937 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace rekindle

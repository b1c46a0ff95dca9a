#include "metadata/server/readiness.h"

#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace rekindle {
namespace {

constexpr absl::Duration kEvery = absl::Seconds(2);
constexpr absl::Duration kPatience = absl::Seconds(3);
// Who asks more often gets the same answer: to ask costs a connection.
constexpr absl::Duration kNew = absl::Milliseconds(20);

}  // namespace

Readiness::Readiness(Ask ask, Tell tell, const Clock& clock)
    : ask_(std::move(ask)),
      tell_(std::move(tell)),
      clock_(clock),
      state_(absl::UnavailableError("the server starts")) {}

Readiness::~Readiness() {
  stopped_.Notify();
  if (thread_.joinable()) thread_.join();
}

void Readiness::Start() {
  Now().IgnoreError();
  thread_ = std::thread([this] {
    while (!stopped_.WaitForNotificationWithTimeout(kEvery)) {
      Now().IgnoreError();
    }
  });
}

void Readiness::Drain() {
  const absl::MutexLock lock(&mutex_);
  draining_ = true;
  Set(absl::UnavailableError("the server is shutting down"));
}

absl::Status Readiness::Now() {
  const absl::MutexLock lock(&mutex_);
  Look();
  return state_;
}

void Readiness::Look() {
  if (asking_) {
    mutex_.Await(absl::Condition(
        +[](bool* asking) { return !*asking; }, &asking_));
    return;
  }
  if (draining_ || clock_.Now() - since_ < kNew) return;
  asking_ = true;
  mutex_.Unlock();
  const absl::Status state = ask_(clock_.Now() + kPatience);
  mutex_.Lock();
  asking_ = false;
  if (!draining_) Set(state);
}

void Readiness::Set(const absl::Status& state) {
  state_ = state;
  since_ = clock_.Now();
  if (std::exchange(told_, state.ok()) != state.ok()) tell_(state.ok());
}

}  // namespace rekindle

#include "component/workers/chief_watch.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/cancellation.h"
#include "component/launch/failure.h"
#include "component/workers/chief.h"
#include "metadata/api/open_store.h"

namespace rekindle {

ChiefWatch::ChiefWatch(Store& store, Chief joined, const Options& options)
    : store_(store),
      joined_(std::move(joined)),
      options_(options),
      last_seen_(absl::Now()),
      thread_([this] { LookUntilStopped(); }) {}

ChiefWatch::~ChiefWatch() {
  stop_.Happen();
  thread_.join();
}

std::optional<absl::Status> ChiefWatch::end() const {
  const absl::MutexLock lock(&mutex_);
  return end_;
}

void ChiefWatch::LookUntilStopped() {
  while (SleepUnlessReadable(stop_.fd(), options_.look_every)) {
    const std::optional<absl::Status> end = Look();
    if (!end.has_value()) continue;
    const absl::MutexLock lock(&mutex_);
    end_ = end;
    ended_.Happen();
    return;
  }
}

std::optional<absl::Status> ChiefWatch::Look() {
  const absl::StatusOr<Chief> now =
      LookAtChief(joined_.execution.external_id(), store_);
  if (now.ok()) {
    last_seen_ = absl::Now();
    return EndOfWork(joined_, *now);
  }
  if (absl::Now() - last_seen_ < options_.store_timeout) return std::nullopt;
  return WithReason(FailureReason::kStoreUnreachable,
                    absl::UnavailableError(absl::StrCat(
                        "the metadata store does not answer, and says nothing "
                        "of the chief: ",
                        now.status().message())));
}

}  // namespace rekindle

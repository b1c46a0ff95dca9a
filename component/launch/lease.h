#ifndef REKINDLE_COMPONENT_LAUNCH_LEASE_H_
#define REKINDLE_COMPONENT_LAUNCH_LEASE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/time/time.h"
#include "base/event_fd.h"
#include "component/launch/step_time.h"
#include "metadata/api/step_store.h"

namespace rekindle {

// Keeps a claim alive while a step works: renews its lease beside it until it
// is destroyed. A store that cannot be reached for a while is no loss, only a
// refusal is. Thread-safe.
class LeaseKeeper {
 public:
  // `store` is not owned and must outlive the keeper.
  LeaseKeeper(StepStore& store, int64_t execution_id, int64_t token,
              absl::Duration lease, const StepTime& time);
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Another process took the execution over: stop, and never publish.
  bool lost() const { return lost_; }
  // Readable once lost; for poll().
  int lost_fd() const { return lost_event_.fd(); }

 private:
  std::optional<absl::Duration> Renew();

  StepStore& store_;
  const int64_t execution_id_;
  const int64_t token_;
  const absl::Duration lease_;
  EventFd lost_event_;
  std::atomic<bool> lost_{false};
  const std::unique_ptr<Ticker> ticker_;  // the last: it uses the others
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_LEASE_H_

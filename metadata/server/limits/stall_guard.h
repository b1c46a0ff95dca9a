// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_STALL_GUARD_H_
#define REKINDLE_METADATA_SERVER_LIMITS_STALL_GUARD_H_

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace rekindle {

// Ends calls whose clients keep the server waiting: that take no answer, or
// send no more of a request. Thread-safe.
class StallGuard {
  struct Call;

 public:
  // A call that is waited for, until this is destroyed. Thread-safe.
  class Watch {
   public:
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Whether the call was ended because its client did not.
    bool stalled() const;

   private:
    friend class StallGuard;
    Watch(StallGuard& guard, std::list<Call>::iterator call)
        : guard_(guard), call_(call) {}

    StallGuard& guard_;
    const std::list<Call>::iterator call_;
  };

  // Clients may be waited for during `patience`. `clock` is not owned and must
  // outlive the guard.
  StallGuard(absl::Duration patience, const Clock& clock)
      : patience_(patience), clock_(clock) {}
  ~StallGuard();

  absl::Duration patience() const { return patience_; }

  // From now on the client is waited for. `end` is called, once, when it took
  // too long, and not after the watch is gone; it must not wait for anything.
  std::unique_ptr<Watch> Begin(std::function<void()> end);

  // Looks at all of them now and then, on a thread of its own. Once.
  void Start();

  // Ends those that are over their time.
  void Look();

  // How many were ended so far.
  int64_t stalled() const;

 private:
  struct Call {
    std::function<void()> end;
    absl::Time until;
    bool stalled = false;
  };

  const absl::Duration patience_;
  const Clock& clock_;
  mutable absl::Mutex mutex_;
  std::list<Call> calls_ ABSL_GUARDED_BY(mutex_);
  int64_t stalled_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Notification stopped_;
  std::thread thread_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_STALL_GUARD_H_

#ifndef REKINDLE_COMPONENT_WORKERS_CHIEF_WATCH_H_
#define REKINDLE_COMPONENT_WORKERS_CHIEF_WATCH_H_

#include <optional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/event_fd.h"
#include "component/workers/chief.h"
#include "metadata/api/open_store.h"

namespace rekindle {

// Looks at the chief now and then, from a thread of its own, until its work is
// over or this is destroyed. Thread-safe.
class ChiefWatch {
 public:
  struct Options {
    absl::Duration look_every = absl::Seconds(1);
    // How long a store that is away does not matter.
    absl::Duration store_timeout = absl::Minutes(5);
  };

  // `store` is not owned and must outlive the watch.
  ChiefWatch(Store& store, Chief joined, const Options& options);
  ~ChiefWatch();
  ChiefWatch(const ChiefWatch&) = delete;
  ChiefWatch& operator=(const ChiefWatch&) = delete;

  // As EndOfWork, of the last look; UNAVAILABLE too if the store was away for
  // too long.
  std::optional<absl::Status> end() const;
  // Readable once there is one; for poll().
  int end_fd() const { return ended_.fd(); }

 private:
  void LookUntilStopped();
  std::optional<absl::Status> Look();

  Store& store_;
  const Chief joined_;
  const Options options_;
  absl::Time last_seen_;  // of the store; the thread's
  EventFd stop_;
  EventFd ended_;
  mutable absl::Mutex mutex_;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_WORKERS_CHIEF_WATCH_H_

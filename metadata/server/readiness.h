// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_READINESS_H_
#define REKINDLE_METADATA_SERVER_READINESS_H_

#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace rekindle {

// Whether a server can do what it is for. It asks itself now and then, and when
// it is asked; one question at a time, however many wait for the answer.
// Thread-safe.
class Readiness {
 public:
  // Asks whether all is well, and waits until the deadline at most.
  using Ask = std::function<absl::Status(absl::Time deadline)>;
  // Is told whether it is ready, when that changes.
  using Tell = std::function<void(bool ready)>;

  // `clock` is not owned and must outlive this.
  Readiness(Ask ask, Tell tell, const Clock& clock);
  ~Readiness();

  // Asks for the first time, and goes on on a thread of its own. Once.
  void Start();

  // From now on it is not ready.
  void Drain();

  // OK, or why it is not ready. Takes a few seconds at most.
  //
  //   UNAVAILABLE  it shuts down; other codes are those of the answer
  absl::Status Now();

 private:
  // Asks, unless there is an answer that is new.
  void Look() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Set(const absl::Status& state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Ask ask_;
  const Tell tell_;
  const Clock& clock_;
  absl::Mutex mutex_;
  absl::Status state_ ABSL_GUARDED_BY(mutex_);
  absl::Time since_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  bool asking_ ABSL_GUARDED_BY(mutex_) = false;
  bool told_ ABSL_GUARDED_BY(mutex_) = false;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Notification stopped_;
  std::thread thread_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_READINESS_H_

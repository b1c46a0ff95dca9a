// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_WORKER_POOL_H_
#define REKINDLE_METADATA_SERVER_HTTP_WORKER_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace rekindle::http {

// Threads for work that is brought to them: at most `max_threads`, started when
// they are needed. Thread-safe.
class WorkerPool {
 public:
  // `max_waiting` is for work that no thread is free for.
  WorkerPool(size_t max_threads, size_t max_waiting)
      : max_threads_(max_threads), max_waiting_(max_waiting) {}
  ~WorkerPool() { Stop(); }

  // False if too much waits already: it will not be done.
  bool Run(std::function<void()> work);

  // Does what was brought and ends the threads; nothing more may be brought.
  void Stop();

 private:
  void Work();
  bool HasNews() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return !waiting_.empty() || stopped_;
  }
  void AddThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_threads_;
  const size_t max_waiting_;
  absl::Mutex mutex_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
  size_t idle_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_WORKER_POOL_H_

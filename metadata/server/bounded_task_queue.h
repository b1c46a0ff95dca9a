// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_BOUNDED_TASK_QUEUE_H_
#define REKINDLE_METADATA_SERVER_BOUNDED_TASK_QUEUE_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <httplib.h>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace rekindle {

// Threads for the connections of an HTTP server: at most `max_threads`, started
// when they are needed. What they cannot take at once waits, and when as many
// wait as there are threads, whoever brings more. Thread-safe.
class BoundedTaskQueue : public httplib::TaskQueue {
 public:
  explicit BoundedTaskQueue(size_t max_threads) : max_threads_(max_threads) {}

  void enqueue(std::function<void()> task) override;

  // Runs what was enqueued and ends the threads.
  void shutdown() override;

 private:
  void Work();
  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return waiting_.size() < max_threads_;
  }
  bool HasNews() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !waiting_.empty() || closed_;
  }

  const size_t max_threads_;
  absl::Mutex mutex_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
  size_t idle_threads_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_BOUNDED_TASK_QUEUE_H_

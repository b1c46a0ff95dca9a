// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_BOUNDED_TASK_QUEUE_H_
#define REKINDLE_METADATA_SERVER_BOUNDED_TASK_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <httplib.h>
#include <mutex>
#include <thread>
#include <vector>

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

  const size_t max_threads_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::condition_variable has_room_;
  std::condition_variable has_news_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  size_t idle_threads_ = 0;
  bool closed_ = false;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_BOUNDED_TASK_QUEUE_H_

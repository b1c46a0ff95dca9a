#include "metadata/server/bounded_task_queue.h"

#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"

namespace rekindle {

void BoundedTaskQueue::enqueue(std::function<void()> task) {
  absl::MutexLock lock(&mutex_,
                       absl::Condition(this, &BoundedTaskQueue::HasRoom));
  waiting_.push_back(std::move(task));
  if (waiting_.size() > idle_threads_ && threads_.size() < max_threads_) {
    threads_.emplace_back([this] { Work(); });
  }
}

void BoundedTaskQueue::shutdown() {
  std::vector<std::thread> threads;
  {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void BoundedTaskQueue::Work() {
  while (true) {
    std::function<void()> task;
    {
      absl::MutexLock lock(&mutex_);
      ++idle_threads_;
      mutex_.Await(absl::Condition(this, &BoundedTaskQueue::HasNews));
      --idle_threads_;
      if (waiting_.empty()) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

}  // namespace rekindle

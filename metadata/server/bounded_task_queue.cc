#include "metadata/server/bounded_task_queue.h"

#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace rekindle {

void BoundedTaskQueue::enqueue(std::function<void()> task) {
  std::unique_lock<std::mutex> lock(mutex_);
  has_room_.wait(lock, [this] { return waiting_.size() < max_threads_; });
  waiting_.push_back(std::move(task));
  has_news_.notify_one();
  if (waiting_.size() > idle_threads_ && threads_.size() < max_threads_) {
    threads_.emplace_back([this] { Work(); });
  }
}

void BoundedTaskQueue::shutdown() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    threads.swap(threads_);
    has_news_.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
}

void BoundedTaskQueue::Work() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      ++idle_threads_;
      has_news_.wait(lock, [this] { return !waiting_.empty() || closed_; });
      --idle_threads_;
      if (waiting_.empty()) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
      has_room_.notify_one();
    }
    task();
  }
}

}  // namespace rekindle

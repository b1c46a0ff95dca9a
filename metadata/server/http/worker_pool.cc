#include "metadata/server/http/worker_pool.h"

#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"

namespace rekindle::http {

bool WorkerPool::Run(std::function<void()> work) {
  const absl::MutexLock lock(&mutex_);
  if (waiting_.size() >= idle_ && threads_.size() < max_threads_) AddThread();
  if (threads_.empty() || waiting_.size() >= max_waiting_ + idle_) return false;
  waiting_.push_back(std::move(work));
  return true;
}

void WorkerPool::AddThread() {
  try {
    threads_.emplace_back([this] { Work(); });
    ++idle_;
  } catch (const std::system_error&) {
    // The machine has no more: those that there are do the work.
  }
}

void WorkerPool::Stop() {
  std::vector<std::thread> threads;
  {
    const absl::MutexLock lock(&mutex_);
    stopped_ = true;
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::Work() {
  while (true) {
    std::function<void()> work;
    {
      const absl::MutexLock lock(&mutex_,
                                 absl::Condition(this, &WorkerPool::HasNews));
      if (waiting_.empty()) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
      --idle_;
    }
    work();
    // Destroyed before the thread is idle again.
    work = nullptr;
    const absl::MutexLock lock(&mutex_);
    ++idle_;
  }
}

}  // namespace rekindle::http

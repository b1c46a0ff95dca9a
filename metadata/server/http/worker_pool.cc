#include "metadata/server/http/worker_pool.h"

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rekindle::http {

bool WorkerPool::Run(const std::string& client, std::function<void()> work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_ >= idle_ && threads_.size() < limits_.threads) AddThread();
  const size_t room = limits_.waiting + idle_;
  // Nothing is kept of a client whose work is not taken.
  if (threads_.empty() || waiting_ >= room) return false;
  Client& one = clients_[client];
  if (one.waiting.size() > limits_.waiting / 2) return false;
  if (one.waiting.empty()) turns_.push_back(client);
  one.waiting.push_back(std::move(work));
  ++waiting_;
  if (HasNews()) news_.notify_one();
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
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    news_.notify_all();
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::Work() {
  while (true) {
    Turn turn = NextTurn();
    if (turn.work == nullptr) return;
    turn.work();
    // Destroyed before the thread is idle again.
    turn.work = nullptr;
    End(turn.client);
  }
}

WorkerPool::Turn WorkerPool::NextTurn() {
  std::unique_lock<std::mutex> lock(mutex_);
  news_.wait(lock, [this] { return HasNews(); });
  if (waiting_ == 0) return {};
  const size_t place = FindTurn();
  Turn turn{std::move(turns_[place]), nullptr};
  turns_.erase(turns_.begin() + static_cast<ptrdiff_t>(place));
  Client& client = clients_[turn.client];
  turn.work = std::move(client.waiting.front());
  client.waiting.pop_front();
  ++client.running;
  if (!client.waiting.empty()) turns_.push_back(turn.client);
  --waiting_;
  --idle_;
  if (HasNews()) news_.notify_one();
  return turn;
}

void WorkerPool::End(const std::string& client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++idle_;
  const auto found = clients_.find(client);
  --found->second.running;
  // Otherwise this thread looks for work itself, and wakes another for more.
  if (stopped_) news_.notify_all();
  if (found->second.running == 0 && found->second.waiting.empty()) {
    clients_.erase(found);
  }
}

size_t WorkerPool::FindTurn() const {
  size_t place = 0;
  while (place < turns_.size() &&
         clients_.at(turns_[place]).running >= limits_.threads_per_client) {
    ++place;
  }
  return place;
}

bool WorkerPool::HasNews() const {
  return FindTurn() < turns_.size() || (stopped_ && waiting_ == 0);
}

}  // namespace rekindle::http

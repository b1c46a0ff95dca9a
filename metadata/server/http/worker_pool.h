// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_WORKER_POOL_H_
#define REKINDLE_METADATA_SERVER_HTTP_WORKER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace rekindle::http {

// Threads, started when they are needed, for work that clients bring. Clients
// take turns, and none has more than its share of the threads: one that brings
// much waits for itself. Thread-safe.
class WorkerPool {
 public:
  struct Limits {
    size_t threads = 1;
    size_t threads_per_client = 1;
    // Work that no thread is free for; a client may have half of it.
    size_t waiting = 0;
  };

  explicit WorkerPool(const Limits& limits) : limits_(limits) {}
  ~WorkerPool() { Stop(); }

  // False if too much waits already: it will not be done.
  bool Run(const std::string& client, std::function<void()> work);

  // Does what was brought and ends the threads; nothing more may be brought.
  void Stop();

 private:
  struct Client {
    std::deque<std::function<void()>> waiting;
    size_t running = 0;
  };
  struct Turn {
    std::string client;
    std::function<void()> work;
  };

  void Work();
  // Waits for work; its function is empty when there will be none.
  Turn NextTurn();
  void End(const std::string& client);

  // All with mutex_ held.
  // Where in turns_ a client is that may have a thread more.
  size_t FindTurn() const;
  bool HasNews() const;
  void AddThread();

  const Limits limits_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::condition_variable news_;
  absl::flat_hash_map<std::string, Client> clients_;
  // Those who have work waiting, each once.
  std::deque<std::string> turns_;
  size_t waiting_ = 0;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool stopped_ = false;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_WORKER_POOL_H_

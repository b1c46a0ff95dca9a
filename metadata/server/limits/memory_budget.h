// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_MEMORY_BUDGET_H_
#define REKINDLE_METADATA_SERVER_LIMITS_MEMORY_BUDGET_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace rekindle {

// How much memory the requests and answers of clients may take at once: all of
// them together, and those of one client. Thread-safe.
class MemoryBudget {
 public:
  struct Limits {
    int64_t all = 0;
    int64_t each = 0;
  };

  // Some of it, given back when this is destroyed. Must not outlive the budget.
  class Share {
   public:
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) = delete;
    ~Share();

   private:
    friend class MemoryBudget;
    Share(MemoryBudget& budget, std::string client, int64_t bytes);

    MemoryBudget* budget_;  // not owned; null once moved from
    std::string client_;
    int64_t bytes_;
  };

  explicit MemoryBudget(Limits limits) : limits_(limits) {}

  Limits limits() const { return limits_; }

  // Waits until others gave back enough, until `deadline` at most.
  //
  //   RESOURCE_EXHAUSTED  more than one client may ever have; not in time
  absl::StatusOr<Share> Take(const std::string& client, int64_t bytes,
                             absl::Time deadline);

 private:
  bool HasRoom(const std::string& client, int64_t bytes) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void GiveBack(const std::string& client, int64_t bytes);

  const Limits limits_;
  absl::Mutex mutex_;
  int64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, int64_t> by_client_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_MEMORY_BUDGET_H_

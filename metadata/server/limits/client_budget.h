// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_CLIENT_BUDGET_H_
#define REKINDLE_METADATA_SERVER_LIMITS_CLIENT_BUDGET_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace rekindle {

// How many of something, connections for example, clients may have at once: all
// of them together, and each. Thread-safe.
class ClientBudget {
 public:
  struct Limits {
    int all = 0;
    int each = 0;
  };

  // One of them, given back when this is destroyed. Must not outlive the
  // budget.
  class Share {
   public:
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) = delete;
    ~Share();

   private:
    friend class ClientBudget;
    Share(ClientBudget& budget, std::string client);

    ClientBudget* budget_;  // not owned; null once moved from
    std::string client_;
  };

  explicit ClientBudget(Limits limits) : limits_(limits) {}

  // nullopt, and counted as refused, when `client` or all of them together have
  // as many as they may.
  std::optional<Share> Take(const std::string& client);

  Limits limits() const { return limits_; }
  int taken() const;
  int64_t refused() const;

 private:
  void GiveBack(const std::string& client);

  const Limits limits_;
  mutable absl::Mutex mutex_;
  int taken_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, int> by_client_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_CLIENT_BUDGET_H_

// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_ATTEMPT_LOG_H_
#define REKINDLE_METADATA_STORE_ATTEMPT_LOG_H_

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "absl/strings/string_view.h"

namespace rekindle {

// The claims of an execution, oldest first, as they are kept in its custom
// property `attempts`: a JSON list of
//
//   {"attempt": 2, "owner": "pod-b", "node_dir": "/root/p/Trainer",
//    "store_id": "x7k2pm4c9d", "lease_millis": 30000,
//    "start_millis": 1794801788875, "end_millis": 1794801790000, "state":
//    "FAILED", "failure_reason": "OUT_OF_MEMORY", "reason": "the trainer was
//    killed"}
//
// where the last four are there once the attempt has ended.
class AttemptLog {
 public:
  // What is known of an attempt when it starts.
  struct Claimant {
    std::string owner;
    std::string node_dir;
    std::string store_id;
    int64_t lease_millis = 0;
  };
  // Why one ended: a word for programs, a sentence for people. Either may be
  // empty.
  struct Cause {
    std::string failure_reason;
    std::string reason;
  };

  // Text that is not such a list, as another program may have left, is none.
  explicit AttemptLog(absl::string_view json);

  // The number of the last attempt; 0 if there was none.
  int64_t last() const;
  std::string last_owner() const;
  // How long its leases are; nullopt if that is not known.
  std::optional<int64_t> last_lease_millis() const;

  // Starts attempt `number`. One that never ended is noted as LOST, for the
  // cause, if anybody knows it.
  void Start(int64_t number, const Claimant& claimant, const Cause& of_lost,
             int64_t now_millis);

  // Ends the last attempt.
  void End(absl::string_view state, const Cause& cause, int64_t now_millis);

  std::string ToJson() const;

 private:
  nlohmann::json attempts_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_ATTEMPT_LOG_H_

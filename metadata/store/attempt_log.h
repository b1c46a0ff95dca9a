// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_ATTEMPT_LOG_H_
#define REKINDLE_METADATA_STORE_ATTEMPT_LOG_H_

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "absl/strings/string_view.h"

namespace rekindle {

// The claims of an execution, oldest first, as they are kept in its custom
// property `attempts`: a JSON list of
//
//   {"attempt": 2, "owner": "pod-b", "start_millis": 1794801788875,
//    "end_millis": 1794801790000, "state": "FAILED", "reason": "out of memory"}
//
// where the last three are there once the attempt has ended.
class AttemptLog {
 public:
  // Text that is not such a list, as another program may have left, is none.
  explicit AttemptLog(absl::string_view json);

  // The number of the last attempt; 0 if there was none.
  int64_t last() const;
  std::string last_owner() const;

  // Starts attempt `number`. One that never ended is noted as LOST.
  void Start(int64_t number, absl::string_view owner, int64_t now_millis);

  // Ends the last attempt.
  void End(absl::string_view state, absl::string_view reason,
           int64_t now_millis);

  std::string ToJson() const;

 private:
  nlohmann::json attempts_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_ATTEMPT_LOG_H_

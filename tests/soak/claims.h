#ifndef REKINDLE_TESTS_SOAK_CLAIMS_H_
#define REKINDLE_TESTS_SOAK_CLAIMS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "absl/status/status.h"

namespace rekindle::soak {

// Every token that the server granted to anyone, by the claimed step.
// Thread-safe.
class Claims {
 public:
  // The highest token granted so far; 0 if none was.
  int64_t Highest(const std::string& step) const;

  // Notes a grant. `highest_before` is what Highest() said before the call.
  //
  //   DATA_LOSS  the token was granted before, or is not higher than one that
  //              was granted before the call began
  absl::Status Granted(const std::string& step, int64_t token,
                       int64_t highest_before);

  size_t count() const;

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::string, std::set<int64_t>> tokens_;
  size_t count_ = 0;
};

}  // namespace rekindle::soak

#endif  // REKINDLE_TESTS_SOAK_CLAIMS_H_

#include "tests/soak/claims.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace rekindle::soak {

int64_t Claims::Highest(const std::string& step) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = tokens_.find(step);
  return found == tokens_.end() ? 0 : *found->second.rbegin();
}

absl::Status Claims::Granted(const std::string& step, int64_t token,
                             int64_t highest_before) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (token <= highest_before) {
    return absl::DataLossError(absl::StrCat("step ", step, ": token ", token,
                                            " was granted after token ",
                                            highest_before));
  }
  if (!tokens_[step].insert(token).second) {
    return absl::DataLossError(
        absl::StrCat("step ", step, ": token ", token, " was granted twice"));
  }
  ++count_;
  return absl::OkStatus();
}

size_t Claims::count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return count_;
}

}  // namespace rekindle::soak

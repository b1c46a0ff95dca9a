#include "component/data/partition.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace rekindle {

Partition::Partition(const std::vector<SplitShare>& shares) {
  uint64_t end = 0;
  for (const SplitShare& share : shares) {
    end += share.hash_buckets;
    ends_.push_back(end);
  }
}

size_t Partition::SplitOf(absl::string_view key) {
  hash_.Update(key);
  const std::array<uint8_t, 32> digest = hash_.TakeDigest();
  uint64_t bucket = 0;
  for (size_t i = 0; i < digest.size(); i += 4) {
    const uint64_t word = uint64_t{digest[i]} << 24 | digest[i + 1] << 16 |
                          digest[i + 2] << 8 | digest[i + 3];
    bucket = (bucket << 32 | word) % ends_.back();
  }
  const auto split = std::upper_bound(ends_.begin(), ends_.end(), bucket);
  return static_cast<size_t>(split - ends_.begin());
}

}  // namespace rekindle

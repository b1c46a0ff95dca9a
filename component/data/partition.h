#ifndef REKINDLE_COMPONENT_DATA_PARTITION_H_
#define REKINDLE_COMPONENT_DATA_PARTITION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/digest.h"

namespace rekindle {

// A split, and its share of the hash buckets.
struct SplitShare {
  std::string name;
  uint32_t hash_buckets = 0;
};

// Divides keys among splits as TFX does: the SHA-256 of a key, as one large
// number, modulo the sum of all buckets is its bucket, and the buckets belong
// to the splits in their order. A key stays in its split when others come or
// go. Thread-compatible.
class Partition {
 public:
  // `shares` have at least one bucket, and together no more than 32 bits count.
  explicit Partition(const std::vector<SplitShare>& shares);

  // The index of the split that `key` belongs to.
  size_t SplitOf(absl::string_view key);

 private:
  std::vector<uint64_t> ends_;  // by split: the first bucket that is not its
  Sha256 hash_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_PARTITION_H_

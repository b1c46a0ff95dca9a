#ifndef REKINDLE_COMPONENT_DATA_VALUE_COUNTS_H_
#define REKINDLE_COMPONENT_DATA_VALUE_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// How often each of many strings occurs, in bounded memory. Exact while there
// are at most kExactValues of them, and kExactBytes in them. Beyond that the
// rarer half is forgotten each time, so that a count may be too low, but hardly
// that of a frequent string; and how many there are is estimated from the
// smallest hashes seen, to about 1.6 %. The same strings in the same order give
// the same answers. Thread-compatible.
class ValueCounts {
 public:
  static constexpr size_t kExactValues = 100'000;
  static constexpr size_t kExactBytes = 64 << 20;

  void Add(absl::string_view value);

  // How many different strings there were.
  uint64_t unique() const;

  // The most frequent strings with their counts, at most `limit`; equally
  // frequent ones from the last to the first, as TFDV has them.
  std::vector<std::pair<std::string, uint64_t>> Ranked(size_t limit) const;

 private:
  // The hashes that the estimate is made from.
  static constexpr size_t kSmallestHashes = 4096;

  bool IsExact() const { return smallest_.empty(); }
  void ForgetRarest();
  void NoteHash(absl::string_view value);

  absl::flat_hash_map<std::string, uint64_t> counts_;
  size_t bytes_ = 0;
  std::set<uint64_t> smallest_;  // empty as long as the counts are exact
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_VALUE_COUNTS_H_

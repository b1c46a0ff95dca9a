#include "component/data/value_counts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

using Count = std::pair<std::string, uint64_t>;

// FNV-1a with a finish that mixes the high bits. absl's hash is another one in
// each process, and its answers would be.
uint64_t StableHash(absl::string_view value) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : value) {
    hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

bool IsMoreFrequent(const Count& a, const Count& b) {
  return a.second != b.second ? a.second > b.second : a.first > b.first;
}

}  // namespace

void ValueCounts::Add(absl::string_view value) {
  const auto found = counts_.find(value);
  if (found != counts_.end()) {
    ++found->second;
    return;
  }
  if (!IsExact()) NoteHash(value);
  counts_.emplace(value, 1);
  bytes_ += value.size();
  if (counts_.size() > kExactValues || bytes_ > kExactBytes) ForgetRarest();
}

void ValueCounts::ForgetRarest() {
  if (IsExact()) {
    for (const auto& [value, count] : counts_) NoteHash(value);
  }
  std::vector<Count> all(counts_.begin(), counts_.end());
  const auto middle = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end(), IsMoreFrequent);
  all.erase(middle, all.end());
  counts_.clear();
  bytes_ = 0;
  for (Count& count : all) {
    bytes_ += count.first.size();
    counts_.insert(std::move(count));
  }
}

void ValueCounts::NoteHash(absl::string_view value) {
  smallest_.insert(StableHash(value));
  if (smallest_.size() > kSmallestHashes) {
    smallest_.erase(std::prev(smallest_.end()));
  }
}

uint64_t ValueCounts::unique() const {
  if (IsExact()) return counts_.size();
  if (smallest_.size() < kSmallestHashes) return smallest_.size();
  // The k-th smallest of n hashes lies at about k / n of all that can be.
  const double share =
      std::ldexp(static_cast<double>(*smallest_.rbegin()), -64);
  return static_cast<uint64_t>(
      std::llround(static_cast<double>(kSmallestHashes - 1) / share));
}

std::vector<Count> ValueCounts::Ranked(size_t limit) const {
  std::vector<Count> ranked(counts_.begin(), counts_.end());
  const size_t size = std::min(limit, ranked.size());
  const auto end = ranked.begin() + static_cast<ptrdiff_t>(size);
  std::partial_sort(ranked.begin(), end, ranked.end(), IsMoreFrequent);
  ranked.resize(size);
  return ranked;
}

}  // namespace rekindle

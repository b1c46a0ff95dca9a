#include "component/data/quantile_sketch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rekindle {

void QuantileSketch::Add(double value) {
  if (levels_.empty()) {
    levels_.emplace_back();
    keep_odd_.push_back(false);
  }
  // Only now, so that a level that is full but not crowded stays exact.
  if (levels_[0].size() == kExactValues) Compact(0);
  levels_[0].push_back(value);
  ++count_;
}

void QuantileSketch::Compact(size_t level) {
  if (level + 1 == levels_.size()) {
    levels_.emplace_back();
    keep_odd_.push_back(false);
  }
  if (levels_[level + 1].size() + kExactValues / 2 > kExactValues) {
    Compact(level + 1);
  }
  std::vector<double>& full = levels_[level];
  std::sort(full.begin(), full.end());
  for (size_t i = keep_odd_[level] ? 1 : 0; i < full.size(); i += 2) {
    levels_[level + 1].push_back(full[i]);
  }
  keep_odd_[level] = !keep_odd_[level];
  full.clear();
}

std::vector<QuantileSketch::Weighted> QuantileSketch::Sorted() const {
  std::vector<Weighted> sorted;
  for (size_t level = 0; level < levels_.size(); ++level) {
    for (const double value : levels_[level]) {
      sorted.push_back({value, uint64_t{1} << level});
    }
  }
  std::sort(
      sorted.begin(), sorted.end(),
      [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  return sorted;
}

double QuantileOf(const std::vector<QuantileSketch::Weighted>& sorted,
                  double fraction) {
  uint64_t total = 0;
  for (const auto& entry : sorted) total += entry.weight;
  const double wanted = fraction * static_cast<double>(total);
  uint64_t rank = 0;
  for (const auto& entry : sorted) {
    rank += entry.weight;
    if (static_cast<double>(rank) >= wanted) return entry.value;
  }
  return sorted.back().value;
}

}  // namespace rekindle

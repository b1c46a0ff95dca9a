#include "component/io/batch_order.h"

#include <cstddef>
#include <numeric>
#include <utility>

#include "component/io/random_stream.h"

namespace rekindle {

BatchOrder::BatchOrder(int64_t examples, int64_t batch_size, uint64_t seed)
    : examples_(examples),
      seed_(seed),
      permutation_(static_cast<size_t>(examples)),
      rows_(static_cast<size_t>(batch_size)) {}

std::span<const int64_t> BatchOrder::Rows(int64_t step) {
  int64_t position = step * static_cast<int64_t>(rows_.size());
  for (int64_t& row : rows_) {
    ShuffleFor(position / examples_);
    row = permutation_[static_cast<size_t>(position % examples_)];
    ++position;
  }
  return rows_;
}

void BatchOrder::ShuffleFor(int64_t epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  std::iota(permutation_.begin(), permutation_.end(), 0);
  RandomStream random(seed_, static_cast<uint64_t>(epoch));
  for (size_t left = permutation_.size(); left > 1; --left) {
    std::swap(permutation_[left - 1], permutation_[random.Below(left)]);
  }
}

}  // namespace rekindle

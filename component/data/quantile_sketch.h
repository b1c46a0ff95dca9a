#ifndef REKINDLE_COMPONENT_DATA_QUANTILE_SKETCH_H_
#define REKINDLE_COMPONENT_DATA_QUANTILE_SKETCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rekindle {

// The order of many numbers, in little memory. Up to kExactValues it is exact.
// Beyond that, half of the values are let go each time a level is full, and the
// others count double: a rank is then wrong by at most one in kExactValues for
// each level, and there are log2(n / kExactValues) of them: for a billion
// values 0.02 % of n. The same numbers in the same order give the same answers.
// Thread-compatible.
class QuantileSketch {
 public:
  static constexpr size_t kExactValues = 1 << 16;

  struct Weighted {
    double value = 0;
    uint64_t weight = 0;
  };

  // `value` is not NaN.
  void Add(double value);

  uint64_t count() const { return count_; }

  // What is known of the values, in their order; the weights come to count().
  std::vector<Weighted> Sorted() const;

 private:
  // Moves half of a full level to the next, where a value counts double.
  void Compact(size_t level);

  // By level: values that count 2^level each.
  std::vector<std::vector<double>> levels_;
  std::vector<bool> keep_odd_;  // by level: which half is next to be kept
  uint64_t count_ = 0;
};

// The smallest of `sorted` whose rank is at least `fraction` of all; `sorted`
// is not empty.
double QuantileOf(const std::vector<QuantileSketch::Weighted>& sorted,
                  double fraction);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_QUANTILE_SKETCH_H_

#ifndef REKINDLE_COMPONENT_IO_BATCH_ORDER_H_
#define REKINDLE_COMPONENT_IO_BATCH_ORDER_H_

#include <cstdint>
#include <span>
#include <vector>

namespace rekindle {

// Which examples a training step sees. The examples are shuffled anew in each
// epoch, by a permutation that depends only on the seed and the epoch, and the
// epochs are laid end to end: step s takes batch_size examples from position
// s * batch_size on. So the global step is the whole position of the input, and
// a run that resumes at a step sees what an uninterrupted one would have.
// Thread-compatible.
class BatchOrder {
 public:
  // `examples` and `batch_size` are at least 1.
  BatchOrder(int64_t examples, int64_t batch_size, uint64_t seed);

  // The examples of step `step`, valid until the next call.
  std::span<const int64_t> Rows(int64_t step);

 private:
  void ShuffleFor(int64_t epoch);

  const int64_t examples_;
  const uint64_t seed_;
  std::vector<int64_t> permutation_;
  int64_t epoch_ = -1;
  std::vector<int64_t> rows_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_BATCH_ORDER_H_

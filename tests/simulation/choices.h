#ifndef REKINDLE_TESTS_SIMULATION_CHOICES_H_
#define REKINDLE_TESTS_SIMULATION_CHOICES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rekindle::simulation {

// Everything that is left to chance in a history. A history is a function of
// its choices: made from a seed, or given, so that it can be repeated and made
// smaller. 0 is always the dullest choice: go on, no fault. Thread-compatible.
class Choices {
 public:
  // Made from the seed, endlessly.
  explicit Choices(uint64_t seed) : state_(seed), endless_(true) {}
  // These, and zeros from then on.
  explicit Choices(std::vector<uint16_t> given) : made_(std::move(given)) {}

  // A number below `bound`, which is at least 1.
  int Below(int bound) {
    if (next_ == made_.size()) {
      made_.push_back(endless_ ? static_cast<uint16_t>(Draw() % bound) : 0);
    }
    // Given ones may have been made for another question.
    return made_[next_++] % bound;
  }
  // Whether one chance in `of` comes true; 0: never.
  bool OneIn(int of) { return of > 0 && Below(of) == of - 1 && of > 1; }

  // Those that were asked for so far.
  std::vector<uint16_t> made() const {
    return {made_.begin(), made_.begin() + static_cast<ptrdiff_t>(next_)};
  }

 private:
  // SplitMix64.
  uint64_t Draw() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_ = 0;
  bool endless_ = false;
  std::vector<uint16_t> made_;
  size_t next_ = 0;
};

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_CHOICES_H_

#ifndef REKINDLE_TESTS_FUZZ_MESSAGE_MUTATOR_H_
#define REKINDLE_TESTS_FUZZ_MESSAGE_MUTATOR_H_

#include <cstddef>
#include <random>

#include "google/protobuf/message.h"

namespace rekindle {

// The randomness of a mutation: the same seed, the same mutation.
class MutationDice {
 public:
  explicit MutationDice(unsigned int seed) : engine_(seed) {}

  // 0 to `end` - 1.
  template <typename Integer>
  Integer Below(Integer end) {
    return std::uniform_int_distribution<Integer>(0, end - 1)(engine_);
  }

 private:
  std::minstd_rand engine_;
};

// Changes one field somewhere in the message: sets, adds or clears it. Values
// are often those that a FuzzedStore knows.
void MutateMessage(google::protobuf::Message& message, MutationDice& dice);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_FUZZ_MESSAGE_MUTATOR_H_

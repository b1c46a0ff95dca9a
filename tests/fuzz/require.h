#ifndef REKINDLE_TESTS_FUZZ_REQUIRE_H_
#define REKINDLE_TESTS_FUZZ_REQUIRE_H_

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rekindle {

// Ends the process with the message, so that the fuzzer keeps the input, unless
// `condition`.
inline void Require(bool condition, const std::string& message) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", message.c_str());
  std::abort();
}

}  // namespace rekindle

#endif  // REKINDLE_TESTS_FUZZ_REQUIRE_H_

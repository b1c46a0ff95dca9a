#ifndef REKINDLE_TESTS_SOAK_RECORD_H_
#define REKINDLE_TESTS_SOAK_RECORD_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/soak/operation.h"

namespace rekindle::soak {

// What a writer knows of a write. kUnknown: it was sent and no answer came; it
// must be stored whole or not at all.
enum class Known { kUnknown, kStored, kAbsent };

// What a writer remembers of an operation.
struct Record {
  Operation operation;
  Known known = Known::kUnknown;
  // Of what is stored; from the answer, or found after an unanswered call.
  int64_t execution_id = 0;
  std::vector<int64_t> artifact_ids;
  // kExecution: the artifact of an earlier operation that it read.
  std::optional<int64_t> input_artifact;
  // kBatch: how often the first artifact was updated, and whether an update is
  // under way.
  int version = 0;
  bool update_unknown = false;
  // kStep: `known` is of the claim, this of what was published.
  Known published = Known::kAbsent;
};

}  // namespace rekindle::soak

#endif  // REKINDLE_TESTS_SOAK_RECORD_H_

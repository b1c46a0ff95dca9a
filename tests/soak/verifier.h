#ifndef REKINDLE_TESTS_SOAK_VERIFIER_H_
#define REKINDLE_TESTS_SOAK_VERIFIER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "metadata/api/metadata_store.h"
#include "tests/soak/record.h"

namespace rekindle::soak {

struct VerifyCounts {
  int64_t verified = 0;      // operations compared with what is stored
  int64_t found_stored = 0;  // unanswered ones that were there, whole
  int64_t found_absent = 0;  // unanswered ones of which nothing was there

  VerifyCounts& operator+=(const VerifyCounts& other);
};

// Compares what is stored with the records: what was acknowledged is there with
// its exact content and ids, and all else whole or not at all. What was unknown
// is known afterwards, in the records.
//
//   DATA_LOSS  something is lost, torn or different; the message names it
//   and what the store answers
absl::Status Verify(const MetadataStore& store,
                    absl::Span<Record* const> records, VerifyCounts* counts);

}  // namespace rekindle::soak

#endif  // REKINDLE_TESTS_SOAK_VERIFIER_H_

#ifndef REKINDLE_TESTS_SOAK_WRITER_H_
#define REKINDLE_TESTS_SOAK_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "metadata/api/open_store.h"
#include "tests/soak/claims.h"
#include "tests/soak/operation.h"
#include "tests/soak/record.h"
#include "tests/soak/verifier.h"

namespace rekindle::soak {

struct WriteCounts {
  int64_t acknowledged = 0;  // writes that were answered
  int64_t unanswered = 0;
  int64_t refused_claims = 0;  // because someone else held the step

  WriteCounts& operator+=(const WriteCounts& other);
};

// Writes, remembers what was acknowledged, and compares it with what is stored.
// Thread-compatible: one thread per writer.
class Writer {
 public:
  // `claims` is not owned and must outlive the writer.
  Writer(uint64_t seed, int index, const TypeIds& types, Claims& claims);

  // Writes until the server is gone, which is no error. `round` names the steps
  // for which all writers contend.
  //
  //   DATA_LOSS  the server answered what cannot be
  //   and what the store answers but should not
  absl::Status WriteUntilGone(Store& store, int round);

  // Compares what was written since the last time, and a few older operations.
  absl::Status VerifyRecent(Store& store);
  // Compares everything.
  absl::Status VerifyAll(Store& store);

  const WriteCounts& write_counts() const { return write_counts_; }
  const VerifyCounts& verify_counts() const { return verify_counts_; }

 private:
  // Each does one thing and answers UNAVAILABLE when the server is gone.
  absl::Status WriteOne(Store& store, int round);
  absl::Status Execute(Store& store, Record& record);
  absl::Status PutBatch(Store& store, Record& record);
  absl::Status UpdateBatch(Store& store);
  absl::Status RunStep(Store& store, Record& record);
  absl::Status Contend(Store& store, int round);

  template <typename Call>
  auto Counted(Known* known, const Call& call);

  int RandomBelow(size_t limit) { return static_cast<int>(chance_() % limit); }

  const uint64_t seed_;
  const int index_;
  const TypeIds types_;
  Claims& claims_;
  std::mt19937_64 chance_;
  std::deque<Record> records_;  // by the operation's number
  std::set<int> unverified_;
  std::vector<int> batches_;  // those that are stored
  WriteCounts write_counts_;
  VerifyCounts verify_counts_;
};

}  // namespace rekindle::soak

#endif  // REKINDLE_TESTS_SOAK_WRITER_H_

#ifndef REKINDLE_TESTS_BENCH_BENCH_GRAPH_H_
#define REKINDLE_TESTS_BENCH_BENCH_GRAPH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {

// A store as a busy pipeline leaves it behind:
//
//   contexts    of type `pipeline`: `busy` holds every artifact, `cold` none
//   artifacts   of the types Examples (half of them), Model and OldModel; all
//               are LIVE, but of OldModel only the oldest hundredth; three
//               declared and two custom properties each
//   executions  one for every four artifacts, which read one and wrote one, in
//               the pipeline `busy` too
//   lineage     a chain: artifact, execution, artifact, ... of 50 executions;
//               and one artifact that 1,000 executions have read
struct BenchGraph {
  int64_t chain_end = 0;  // the last artifact of the chain
  int64_t fan_out = 0;    // the artifact that was read by many
};

// Puts `artifacts` artifacts, at least 100, and the rest into an empty store.
absl::StatusOr<BenchGraph> PutBenchGraph(int64_t artifacts,
                                         MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_TESTS_BENCH_BENCH_GRAPH_H_

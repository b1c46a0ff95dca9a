#ifndef REKINDLE_COMPONENT_CACHE_CACHE_HISTORY_H_
#define REKINDLE_COMPONENT_CACHE_CACHE_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// An earlier run of a node, and where it differs from a later one.
struct EarlierRun {
  int64_t execution_id = 0;
  std::vector<FieldDifference> differences;
};

// The completed run of the node that the fields name with the fewest
// differences, the newest of several; of those before execution `before`, if
// given. At most the 100 newest are compared.
absl::StatusOr<std::optional<EarlierRun>> FindNearestRun(
    const CacheFields& fields, std::optional<int64_t> before,
    const MetadataStore& store);

// Why a step computed its outputs, or did not.
struct CacheExplanation {
  ml_metadata::Execution execution;
  CacheFields fields;
  // nullopt: it ended before it had decided, or is still about to.
  std::optional<CacheDecision> decision;
  std::optional<int64_t> cached_from;
  // Unless it was a hit: the nearest run before it.
  std::optional<EarlierRun> nearest;
};

// Explains from what executions recorded; nothing is judged anew.
//
//   NOT_FOUND            no such execution
//   FAILED_PRECONDITION  it recorded no fields: another tool wrote it
absl::StatusOr<CacheExplanation> ExplainCache(int64_t execution_id,
                                              const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CACHE_CACHE_HISTORY_H_

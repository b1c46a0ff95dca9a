// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_LINEAGE_H_
#define REKINDLE_METADATA_STORE_LINEAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/event_rows.h"

namespace rekindle {

// Where a walk ends: at nodes that pass the filter, which are part of the
// answer or not.
struct WalkEnd {
  std::string filter_query;
  bool included = false;
};

struct WalkOptions {
  bool upstream = true;    // against the events: to what something was made of
  bool downstream = true;  // with them: to what was made of it
  int64_t max_hops = 0;    // an event is one hop
  int64_t max_nodes = 0;   // those with the least ids of the last hop are kept
  bool start_may_end = true;  // else all nodes to start from are gone on from
  std::optional<WalkEnd> end_artifacts = std::nullopt;
  std::optional<WalkEnd> end_executions = std::nullopt;
};

// What a walk met.
struct Walked {
  std::vector<int64_t> artifacts;   // ids, ascending
  std::vector<int64_t> executions;  // ids, ascending
  Events events;                    // in the order met, each once
};

// Walks along events from the given artifacts or executions, hop by hop.
//
//   INVALID_ARGUMENT  a filter is wrong
absl::StatusOr<Walked> WalkFromArtifacts(Database& db,
                                         const std::vector<int64_t>& start,
                                         const WalkOptions& options);
absl::StatusOr<Walked> WalkFromExecutions(Database& db,
                                          const std::vector<int64_t>& start,
                                          const WalkOptions& options);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_LINEAGE_H_

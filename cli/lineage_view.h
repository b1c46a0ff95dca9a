#ifndef REKINDLE_CLI_LINEAGE_VIEW_H_
#define REKINDLE_CLI_LINEAGE_VIEW_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {

enum class LineageDirection { kUpstream, kDownstream };

// Artifacts and executions that are joined by events, as far as they were
// followed from one artifact.
struct LineageView {
  int64_t root_artifact = 0;
  LineageDirection direction = LineageDirection::kUpstream;
  std::map<int64_t, ml_metadata::Artifact> artifacts;
  std::map<int64_t, ml_metadata::Execution> executions;
  std::vector<ml_metadata::Event> events;
};

// Follows the events from an artifact, `max_hops` steps far: an artifact and
// its execution are one step apart.
//
//   NOT_FOUND  there is no such artifact
absl::StatusOr<LineageView> LoadLineage(int64_t artifact_id,
                                        LineageDirection direction,
                                        int64_t max_hops,
                                        const MetadataStore& store);

// The tree below the root artifact; what occurs again is not drawn again.
std::string LineageToTree(const LineageView& view);
nlohmann::json LineageToJson(const LineageView& view);

// What people call an execution: the last part of its type's name.
std::string ShortTypeName(const std::string& type);

}  // namespace rekindle

#endif  // REKINDLE_CLI_LINEAGE_VIEW_H_

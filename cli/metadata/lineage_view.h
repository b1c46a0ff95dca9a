#ifndef REKINDLE_CLI_METADATA_LINEAGE_VIEW_H_
#define REKINDLE_CLI_METADATA_LINEAGE_VIEW_H_

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

// Where a lineage starts.
struct LineageRoot {
  enum class Kind { kArtifact, kExecution };
  Kind kind = Kind::kArtifact;
  int64_t id = 0;
};

// Reads "7" or "artifact:7", or "execution:4".
//
//   INVALID_ARGUMENT  it is none of these
absl::StatusOr<LineageRoot> ParseLineageRoot(const std::string& text);

// Artifacts and executions that are joined by events, as far as they were
// followed from one of them.
struct LineageView {
  LineageRoot root;
  LineageDirection direction = LineageDirection::kUpstream;
  std::map<int64_t, ml_metadata::Artifact> artifacts;
  std::map<int64_t, ml_metadata::Execution> executions;
  std::vector<ml_metadata::Event> events;
};

// Follows the events from the root, `max_hops` steps far: an artifact and its
// execution are one step apart.
//
//   NOT_FOUND  the root is not stored
absl::StatusOr<LineageView> LoadLineage(const LineageRoot& root,
                                        LineageDirection direction,
                                        int64_t max_hops,
                                        const MetadataStore& store);

// Whether the event says that the execution put the artifact out.
bool IsOutput(const ml_metadata::Event& event);

// The name under which the execution has the artifact, "examples"; empty if
// none is recorded.
std::string KeyOf(const ml_metadata::Event& event);

// The tree below the root; what occurs again is not drawn again.
std::string LineageToTree(const LineageView& view);
nlohmann::json LineageToJson(const LineageView& view);

// What people call an execution: the last part of its type's name.
std::string ShortTypeName(const std::string& type);

}  // namespace rekindle

#endif  // REKINDLE_CLI_METADATA_LINEAGE_VIEW_H_

#include "metadata/server/access/access_table.h"

#include <array>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "metadata/server/access/role.h"

namespace rekindle {
namespace {

constexpr std::optional<Role> kEverybody = std::nullopt;
constexpr std::optional<Role> kReader = Role::kReader;
constexpr std::optional<Role> kStep = Role::kStep;
constexpr std::optional<Role> kWriter = Role::kWriter;
constexpr std::optional<Role> kAdmin = Role::kAdmin;

constexpr auto kTable = std::to_array<CallRight>({
    // ml_metadata.MetadataStoreService
    {"GetArtifactType", kReader},
    {"GetExecutionType", kReader},
    {"GetContextType", kReader},
    {"GetArtifactTypesByID", kReader},
    {"GetExecutionTypesByID", kReader},
    {"GetContextTypesByID", kReader},
    {"GetArtifactTypes", kReader},
    {"GetExecutionTypes", kReader},
    {"GetContextTypes", kReader},
    {"GetArtifactTypesByExternalIds", kReader},
    {"GetExecutionTypesByExternalIds", kReader},
    {"GetContextTypesByExternalIds", kReader},
    {"GetArtifacts", kReader},
    {"GetExecutions", kReader},
    {"GetContexts", kReader},
    {"GetArtifactsByType", kReader},
    {"GetExecutionsByType", kReader},
    {"GetContextsByType", kReader},
    {"GetArtifactsByContext", kReader},
    {"GetExecutionsByContext", kReader},
    {"GetArtifactsByID", kReader},
    {"GetExecutionsByID", kReader},
    {"GetContextsByID", kReader},
    {"GetArtifactByTypeAndName", kReader},
    {"GetExecutionByTypeAndName", kReader},
    {"GetContextByTypeAndName", kReader},
    {"GetArtifactsByURI", kReader},
    {"GetArtifactsByExternalIds", kReader},
    {"GetExecutionsByExternalIds", kReader},
    {"GetContextsByExternalIds", kReader},
    {"GetEventsByExecutionIDs", kReader},
    {"GetEventsByArtifactIDs", kReader},
    {"GetLineageSubgraph", kReader},
    {"GetLineageGraph", kReader},
    {"GetContextsByArtifact", kReader},
    {"GetContextsByExecution", kReader},
    {"GetParentContextsByContext", kReader},
    {"GetChildrenContextsByContext", kReader},
    {"GetParentContextsByContexts", kReader},
    {"GetChildrenContextsByContexts", kReader},
    {"PutArtifactType", kWriter},
    {"PutExecutionType", kWriter},
    {"PutContextType", kWriter},
    {"PutTypes", kWriter},
    {"PutArtifacts", kWriter},
    {"PutExecutions", kWriter},
    {"PutContexts", kWriter},
    {"PutEvents", kWriter},
    {"PutExecution", kWriter},
    {"PutLineageSubgraph", kWriter},
    {"PutAttributionsAndAssociations", kWriter},
    {"PutParentContexts", kWriter},
    // rekindle.v1.StepService
    {"Claim", kStep},
    {"Renew", kStep},
    {"StartWork", kStep},
    {"PreparePublish", kStep},
    {"Publish", kStep},
    {"Finish", kStep},
    {"Identify", kStep},
    {"Verify", kAdmin},
    {"Delete", kAdmin},
    // rekindle.v1.MaintenanceService
    {"Backup", kAdmin},
    {"Export", kAdmin},
    {"Load", kAdmin},
    // What tells how the server is: whoever starts it again has no token.
    {"grpc.health.v1.Health/Check", kEverybody},
    {"grpc.health.v1.Health/Watch", kEverybody},
    {"GET /healthz", kEverybody},
    {"GET /readyz", kEverybody},
    // Counts and sizes, and no name of anything that is stored.
    {"GET /metrics", kEverybody},
    {"GET /api/v1/openapi.json", kReader},
});

}  // namespace

absl::Span<const CallRight> AccessTable() { return kTable; }

const CallRight* FindCallRight(absl::string_view call) {
  static const auto& by_name = *[] {
    auto* index = new absl::flat_hash_map<absl::string_view, const CallRight*>;
    for (const CallRight& right : kTable) index->emplace(right.call, &right);
    return index;
  }();
  const auto found = by_name.find(call);
  return found == by_name.end() ? nullptr : found->second;
}

bool IsAudited(const CallRight& right) {
  return right.needs > kReader && right.call != "Renew";
}

}  // namespace rekindle

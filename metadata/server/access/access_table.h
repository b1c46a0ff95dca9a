// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_ACCESS_ACCESS_TABLE_H_
#define REKINDLE_METADATA_SERVER_ACCESS_ACCESS_TABLE_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "metadata/server/access/role.h"

namespace rekindle {

// One call that the server answers, and who may make it.
struct CallRight {
  // The method's own name, "PutArtifacts", of the store's three services, which
  // share none, whether it comes by gRPC or as POST /api/v1/PutArtifacts; of
  // other services with the service, "grpc.health.v1.Health/Check"; of other
  // HTTP paths with the verb, "GET /metrics".
  absl::string_view call;
  // The least role that may; nullopt if everybody may, known or not.
  std::optional<Role> needs;
};

// All of them. What is not here nobody may call.
absl::Span<const CallRight> AccessTable();

// The entry of `call`; null if there is none.
const CallRight* FindCallRight(absl::string_view call);

// Whether the audit log has a line for every such call: for all that change the
// store or take a copy of it, but for renewals, of which a step sends one every
// few seconds.
bool IsAudited(const CallRight& right);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCESS_ACCESS_TABLE_H_

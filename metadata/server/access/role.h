#ifndef REKINDLE_METADATA_SERVER_ACCESS_ROLE_H_
#define REKINDLE_METADATA_SERVER_ACCESS_ROLE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// What a client may do. Each may do what those before it may (docs/server.md).
enum class Role {
  kReader,  // read
  kStep,    // run a step: claim, renew, prepare, publish, finish
  kWriter,  // write nodes and types, as ML Metadata's clients do
  kAdmin,   // copy, fill, check and delete the store
};

// "reader", "step", "writer", "admin".
absl::string_view RoleName(Role role);

//   INVALID_ARGUMENT  no role has this name; lists those that exist
absl::StatusOr<Role> ParseRole(absl::string_view name);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCESS_ROLE_H_

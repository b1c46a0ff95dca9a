#ifndef REKINDLE_CLI_ARGO_FOLLOW_VIEW_H_
#define REKINDLE_CLI_ARGO_FOLLOW_VIEW_H_

#include "absl/status/statusor.h"
#include "cli/argo/cluster_flags.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// Shows the live graph of a workflow on the standard output until it has
// finished; the exit code that says how.
//
//   as argo::FollowWorkflow and CheckOutput
absl::StatusOr<int> FollowInView(const nlohmann::json& workflow,
                                 const Cluster& cluster);

}  // namespace rekindle

#endif  // REKINDLE_CLI_ARGO_FOLLOW_VIEW_H_

#ifndef REKINDLE_CLI_ARGO_WORKFLOW_COMMAND_H_
#define REKINDLE_CLI_ARGO_WORKFLOW_COMMAND_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/argo/cluster_flags.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// A command about one workflow of a cluster, which is its first argument.
struct WorkflowCommand {
  FlagSet& flags;
  const ClusterFlags& cluster;
  size_t most_arguments = 1;
  // Gets the workflow as it is now, and the arguments behind its name; answers
  // the exit code.
  std::function<absl::StatusOr<int>(Cluster& cluster,
                                    const nlohmann::json& workflow,
                                    const std::vector<std::string>& more)>
      run;
};

// Parses the arguments, answers --help, finds the workflow and runs. An error
// goes to stderr; returns the exit code.
int RunWorkflowCommand(const WorkflowCommand& command,
                       const Arguments& arguments);

// 0 if a workflow that has finished ended well, else 1.
int ExitCodeOfWorkflow(const nlohmann::json& workflow);

// Says that a workflow goes on without us, if we were interrupted.
absl::Status NoteThatItGoesOn(const absl::Status& status,
                              const std::string& name);

}  // namespace rekindle

#endif  // REKINDLE_CLI_ARGO_WORKFLOW_COMMAND_H_

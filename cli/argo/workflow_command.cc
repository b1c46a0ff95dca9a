#include "cli/argo/workflow_command.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/argo/cluster_flags.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "nlohmann/json.hpp"
#include "operator/submit/remote_workflow.h"

namespace rekindle {
namespace {

absl::StatusOr<int> Run(const WorkflowCommand& command,
                        const std::vector<std::string>& positional) {
  if (positional.empty()) {
    return absl::InvalidArgumentError(
        "which workflow? give its name, or @latest");
  }
  if (positional.size() > command.most_arguments) {
    return absl::InvalidArgumentError(absl::StrCat(
        "unexpected argument '", positional[command.most_arguments], "'"));
  }
  RK_ASSIGN_OR_RETURN(Cluster cluster, command.cluster.Connect());
  RK_ASSIGN_OR_RETURN(
      const nlohmann::json workflow,
      argo::GetWorkflow(cluster.in_namespace, positional[0], *cluster.client));
  return command.run(cluster, workflow,
                     {positional.begin() + 1, positional.end()});
}

}  // namespace

int RunWorkflowCommand(const WorkflowCommand& command,
                       const Arguments& arguments) {
  std::vector<std::string> positional;
  const absl::Status parsed = command.flags.Parse(arguments, &positional);
  if (!parsed.ok()) return Fail(parsed);
  if (command.flags.help_requested()) {
    std::cout << command.flags.Help();
    return kOk;
  }
  const absl::StatusOr<int> code = Run(command, positional);
  return code.ok() ? *code : Fail(code.status());
}

int ExitCodeOfWorkflow(const nlohmann::json& workflow) {
  return argo::HasSucceeded(workflow) ? kOk : kFailed;
}

absl::Status NoteThatItGoesOn(const absl::Status& status,
                              const std::string& name) {
  if (!absl::IsCancelled(status)) return status;
  return absl::CancelledError(
      absl::StrCat("workflow '", name, "' goes on without us: 'rekindle watch ",
                   name, "' shows it, 'rekindle stop ", name, "' ends it"));
}

}  // namespace rekindle

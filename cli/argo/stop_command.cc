#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "cli/argo/cluster_flags.h"
#include "cli/argo/workflow_command.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "nlohmann/json.hpp"
#include "operator/submit/remote_workflow.h"

namespace rekindle {

int StopCommand(const Arguments& arguments) {
  ClusterFlags cluster_flags;
  bool terminate = false;
  bool wait = false;
  std::string message;
  FlagSet flags(
      "stop NAME|@latest [flags]",
      "Asks Argo to end a workflow of the cluster; its exit handlers still "
      "run.\nExit status: 0 asked, 3 no such workflow, 1 it has finished "
      "already.",
      "rekindle stop @latest --message 'wrong data'");
  flags.Bool("terminate", &terminate, "without running exit handlers");
  flags.String("message", "TEXT", &message,
               "why; kept in the workflow's annotations");
  flags.Bool("wait", &wait, "return when it has ended");
  cluster_flags.Bind(flags);
  return RunWorkflowCommand(
      {flags, cluster_flags, 1,
       [&](Cluster& cluster, const nlohmann::json& workflow,
           const std::vector<std::string>&) -> absl::StatusOr<int> {
         RK_ASSIGN_OR_RETURN(
             const nlohmann::json stopping,
             argo::StopWorkflow(
                 workflow,
                 terminate ? argo::Shutdown::kTerminate : argo::Shutdown::kStop,
                 message, *cluster.client));
         const std::string name = argo::WorkflowName(workflow);
         std::cout << "workflow " << name
                   << (terminate ? " is terminated\n" : " is stopping\n")
                   << std::flush;
         if (!wait) return kOk;
         const auto ended =
             argo::AwaitWorkflow(stopping, cluster.follow, *cluster.client);
         if (!ended.ok()) return NoteThatItGoesOn(ended.status(), name);
         std::cout << name << " " << argo::WorkflowPhase(*ended) << "\n";
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle

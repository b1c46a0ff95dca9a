#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "cli/argo/cluster_flags.h"
#include "cli/argo/log_printer.h"
#include "cli/argo/workflow_command.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "nlohmann/json.hpp"
#include "operator/submit/remote_workflow.h"
#include "operator/submit/workflow_logs.h"

namespace rekindle {
namespace {

struct LogFlags {
  ClusterFlags cluster;
  bool follow = false;
  std::string container = "main";
  absl::Duration since = absl::ZeroDuration();
  std::optional<int64_t> tail;
  std::string grep;
  bool executor = false;

  void Bind(FlagSet& flags) {
    flags.Bool("follow", &follow, "until the workflow has finished");
    flags.Letter('f', "follow");
    flags.String("container", "NAME", &container, "of each pod");
    flags.Letter('c', "container");
    flags.Duration("since", &since, "only lines of the last so long; 0: all");
    flags.OptionalInt("tail", "N", &tail, "only the last N lines of each pod");
    flags.Bool("executor", &executor,
               "also what Argo's executor says of its own work");
    flags.String("grep", "REGEX", &grep, "only lines with a match (RE2)");
    cluster.Bind(flags);
  }

  absl::StatusOr<argo::WorkflowLogOptions> Options() const {
    argo::WorkflowLogOptions options;
    options.log.follow = follow;
    options.log.container = container;
    options.log.tail_lines = tail;
    options.executor = executor;
    if (tail.has_value() && *tail < 0) {
      return absl::InvalidArgumentError("--tail is less than 0");
    }
    if (since > absl::ZeroDuration() && since != absl::InfiniteDuration()) {
      options.log.since = absl::Now() - since;
    }
    return options;
  }

  absl::StatusOr<LineFilter> Filter() const {
    if (grep.empty()) return LineFilter();
    absl::StatusOr<LineFilter> filter = MakeLineFilter(grep);
    if (!filter.ok()) return WithContext(filter.status(), "--grep");
    return filter;
  }
};

}  // namespace

int LogsCommand(const Arguments& arguments) {
  LogFlags log;
  FlagSet flags(
      "logs NAME|@latest [POD|NODE] [flags]",
      "Prints what the steps of a workflow of the cluster wrote, the name of "
      "the step in\nfront of each line.\nExit status: 0 printed, 3 no such "
      "workflow, pod or container, 75 the\ncluster or a log is not reached.",
      "rekindle logs @latest -f");
  log.Bind(flags);
  return RunWorkflowCommand(
      {flags, log.cluster, 2,
       [&](Cluster& cluster, const nlohmann::json& workflow,
           const std::vector<std::string>& more) -> absl::StatusOr<int> {
         RK_ASSIGN_OR_RETURN(argo::WorkflowLogOptions options, log.Options());
         RK_ASSIGN_OR_RETURN(LineFilter filter, log.Filter());
         options.follow = cluster.follow;
         if (!more.empty()) options.pod = more[0];
         LogPrinter printer(std::move(filter));
         const auto read = PrintLogs(workflow, options, cluster, printer);
         if (read.ok()) return kOk;
         return NoteThatItGoesOn(read.status(), argo::WorkflowName(workflow));
       }},
      arguments);
}

}  // namespace rekindle

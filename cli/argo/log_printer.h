#ifndef REKINDLE_CLI_ARGO_LOG_PRINTER_H_
#define REKINDLE_CLI_ARGO_LOG_PRINTER_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/argo/cluster_flags.h"
#include "nlohmann/json.hpp"
#include "operator/submit/workflow_logs.h"

namespace rekindle {

// Whether a line is to be printed.
using LineFilter = std::function<bool(absl::string_view line)>;

// Lets lines pass in which `pattern`, a regular expression as Go's, is found.
//
//   INVALID_ARGUMENT  it is not one
absl::StatusOr<LineFilter> MakeLineFilter(const std::string& pattern);

// Lines of nodes on the standard output, the node's name in front of each, in a
// colour of its own on a terminal (NO_COLOR keeps it plain).
// Thread-compatible.
class LogPrinter {
 public:
  // Prints only lines that pass `filter`, if there is one.
  explicit LogPrinter(LineFilter filter = nullptr);

  // As CheckOutput.
  absl::Status Print(const std::string& node, absl::string_view line);

 private:
  const LineFilter filter_;
  const bool coloured_;
  std::map<std::string, int> colours_;
};

// Prints the logs of a workflow as argo::ReadWorkflowLogs gives them, and
// returns what it does.
absl::StatusOr<nlohmann::json> PrintLogs(
    const nlohmann::json& workflow, const argo::WorkflowLogOptions& options,
    const Cluster& cluster, LogPrinter& printer);

// Prints the logs of a workflow as they come until it has finished, and returns
// it as it is then.
absl::StatusOr<nlohmann::json> PrintLogsToTheEnd(const nlohmann::json& workflow,
                                                 const Cluster& cluster);

}  // namespace rekindle

#endif  // REKINDLE_CLI_ARGO_LOG_PRINTER_H_

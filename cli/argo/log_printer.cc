#include "cli/argo/log_printer.h"

#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <re2/re2.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/argo/cluster_flags.h"
#include "cli/exit_code.h"
#include "nlohmann/json.hpp"
#include "operator/submit/workflow_logs.h"
#include "operator/view/live_view.h"

namespace rekindle {
namespace {

// Cyan, yellow, green, magenta, blue; red is for what failed.
constexpr std::array<int, 5> kColours = {36, 33, 32, 35, 34};

}  // namespace

absl::StatusOr<LineFilter> MakeLineFilter(const std::string& pattern) {
  // A line may be long, and RE2 does not recurse.
  const auto compiled = std::make_shared<const RE2>(pattern, RE2::Quiet);
  if (!compiled->ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", pattern, "' is not a regular expression: ", compiled->error()));
  }
  return LineFilter([compiled](absl::string_view line) {
    return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()),
                             *compiled);
  });
}

LogPrinter::LogPrinter(LineFilter filter)
    : filter_(std::move(filter)),
      coloured_(argo::ScreenOf(STDOUT_FILENO).coloured) {}

absl::Status LogPrinter::Print(const std::string& node,
                               absl::string_view line) {
  if (filter_ && !filter_(line)) return absl::OkStatus();
  const auto [colour, is_new] =
      colours_.emplace(node, kColours[colours_.size() % kColours.size()]);
  const std::string name =
      coloured_ ? absl::StrCat("\033[", colour->second, "m", node, ":\033[0m")
                : absl::StrCat(node, ":");
  std::cout << name << " " << line << '\n' << std::flush;
  return CheckOutput();
}

absl::StatusOr<nlohmann::json> PrintLogs(
    const nlohmann::json& workflow, const argo::WorkflowLogOptions& options,
    const Cluster& cluster, LogPrinter& printer) {
  return argo::ReadWorkflowLogs(
      workflow, options, *cluster.client,
      [&printer](const std::string& node, absl::string_view line) {
        return printer.Print(node, line);
      });
}

absl::StatusOr<nlohmann::json> PrintLogsToTheEnd(const nlohmann::json& workflow,
                                                 const Cluster& cluster) {
  argo::WorkflowLogOptions options;
  options.log.follow = true;
  options.follow = cluster.follow;
  LogPrinter printer;
  return PrintLogs(workflow, options, cluster, printer);
}

}  // namespace rekindle

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/cancellation.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/output.h"
#include "cli/parse_or_exit.h"
#include "cli/root_flags.h"
#include "cli/store_flags.h"
#include "cli/table.h"
#include "cli/terminal_text.h"
#include "component/launch/failure.h"
#include "component/launch/reaper.h"
#include "metadata/api/open_store.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using nlohmann::json;

json ToJson(const ReapReport& report, bool dry_run) {
  json closed = json::array();
  for (const ReapReport::Execution& execution : report.closed) {
    closed.push_back(
        {{"execution_id", execution.id},
         {"external_id", execution.external_id},
         {"failure_reason", std::string(FailureReasonName(execution.reason))},
         {"message", execution.message}});
  }
  return {{"dry_run", dry_run},
          {"closed", std::move(closed)},
          {"still_running", report.still_running},
          {"removed", report.removed},
          {"outside", report.outside}};
}

std::string ToText(const ReapReport& report, bool dry_run) {
  std::string text;
  if (!report.closed.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {dry_run ? "WOULD CLOSE" : "CLOSED", "EXTERNAL ID", "REASON",
         "MESSAGE"}};
    for (const ReapReport::Execution& execution : report.closed) {
      rows.push_back({absl::StrCat(execution.id), execution.external_id,
                      std::string(FailureReasonName(execution.reason)),
                      execution.message});
    }
    text = ToTable(std::move(rows));
  }
  for (const std::string& folder : report.removed) {
    absl::StrAppend(&text, dry_run ? "would remove " : "removed ",
                    TerminalLine(folder), "\n");
  }
  for (const std::string& folder : report.outside) {
    absl::StrAppend(&text, "left alone ", TerminalLine(folder),
                    ": it is not below the pipeline root; give its "
                    "--pipeline-root, or --artifact-root=DIR\n");
  }
  absl::StrAppend(&text, report.closed.size(), " closed, ",
                  report.removed.size(), " folders removed, ",
                  report.still_running, " still running\n");
  return text;
}

// Reaps again and again, for so long, while something is alive: a process that
// vanished a moment ago is, until its lease ends.
absl::StatusOr<ReapReport> ReapPatiently(const ReapOptions& options,
                                         absl::Duration wait, Store& store) {
  const absl::Time until = absl::Now() + wait;
  RK_ASSIGN_OR_RETURN(ReapReport report, Reap(options, store));
  while (report.still_running > 0 && absl::Now() < until &&
         SleepUnlessReadable(Cancellation::Get().fd(), absl::Seconds(1))) {
    RK_ASSIGN_OR_RETURN(ReapReport more, Reap(options, store));
    std::ranges::move(more.closed, std::back_inserter(report.closed));
    std::ranges::move(more.removed, std::back_inserter(report.removed));
    report.still_running = more.still_running;
    report.outside = std::move(more.outside);
  }
  return report;
}

absl::Status RunReap(const ReapOptions& options, absl::Duration wait,
                     const StoreFlags& store_flags, const std::string& format) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                      store_flags.Open(OpenOptions::Mode::kReadWrite));
  // A dry run would find the same things each time.
  RK_ASSIGN_OR_RETURN(
      const ReapReport report,
      ReapPatiently(options, options.dry_run ? absl::ZeroDuration() : wait,
                    *store));
  std::cout << (format == "table"
                    ? ToText(report, options.dry_run)
                    : Render(ToJson(report, options.dry_run), format));
  return absl::OkStatus();
}

}  // namespace

int ReapCommand(const Arguments& arguments) {
  ReapOptions options;
  RootFlags roots;
  StoreFlags store;
  absl::Duration wait = absl::ZeroDuration();
  std::string format;
  FlagSet flags(
      "reap [flags]",
      "Closes executions whose process vanished and removes what they left. An "
      "execution with a live lease is never touched.",
      "rekindle reap --pipeline=penguin --dry-run");
  flags.String("pipeline", "NAME", &options.pipeline, "only of this pipeline");
  flags.String("run-id", "ID", &options.run_id, "only of this run");
  roots.Bind(flags,
             "nothing is read or removed that is not below it (default: "
             "pipelines/PIPELINE, or pipelines)");
  flags.String("previous-failure", "TEXT", &options.previous_failure,
               "what the orchestrator says became of them, as 'OOMKilled'");
  flags.Duration("older-than", &options.older_than,
                 "also close executions of other writers that nobody has "
                 "changed for so long");
  flags.Duration("folder-age", &options.folder_age,
                 "keep folders in which something changed since then");
  flags.Duration("wait", &wait,
                 "how long to wait for leases to end, as of a process that "
                 "vanished just now");
  flags.Bool("dry-run", &options.dry_run, "say what would be done, do nothing");
  store.Bind(flags);
  flags.Format(kOutputFormats, &format);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  options.roots = roots.ArtifactRootFolders();
  options.roots.push_back(roots.PipelineRoot(options.pipeline));
  const absl::Status reaped = RunReap(options, wait, store, format);
  return reaped.ok() ? kOk : Fail(reaped);
}

}  // namespace rekindle

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "base/bounded_read.h"
#include "base/cancellation.h"
#include "base/status_macros.h"
#include "cli/argo/run_flags.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/output.h"
#include "operator/engine/engine.h"
#include "operator/local/kept_run.h"
#include "operator/local/local_runner.h"
#include "operator/local/run_plan.h"
#include "operator/local/run_view.h"
#include "operator/local/status_json.h"
#include "operator/pods/pod_runner.h"
#include "operator/process/process_host.h"
#include "operator/view/live_view.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

// What of the failed steps' logs a person wants to see first.
void PrintLogEnds(const argo::Engine& engine, const argo::PodRunner& pods) {
  constexpr size_t kLines = 10;
  constexpr size_t kEnd = 16384;  // bytes
  constexpr int kPods = 3;
  int shown = 0;
  for (const argo::Node& node : engine.tree().nodes()) {
    if (node.type != argo::NodeType::kPod || !IsFailure(node.phase)) continue;
    if (++shown > kPods) return;
    std::string name = node.template_name;
    if (node.template_ref.has_value()) name = node.template_ref->template_name;
    const std::string path = pods.LogPath(
        argo::PodName(engine.info().name, node.name, name, node.id));
    const auto text = ReadFileEnd(path, kEnd);
    if (!text.ok() || text->empty()) continue;
    std::vector<std::string> lines =
        absl::StrSplit(*text, '\n', absl::SkipEmpty());
    std::cerr << "\nThe end of " << path << ":\n";
    for (size_t i = lines.size() > kLines ? lines.size() - kLines : 0;
         i < lines.size(); ++i) {
      std::cerr << "  " << lines[i] << '\n';
    }
  }
}

int ExitCode(const argo::Engine& engine) {
  const int signal = Cancellation::Get().signal();
  if (signal != 0) return 128 + signal;
  return engine.phase() == argo::Phase::kSucceeded ? kOk : kFailed;
}

absl::StatusOr<int> Execute(const RunFlags& flags, argo::KeptRun run) {
  RK_ASSIGN_OR_RETURN(argo::LocalRunnerOptions options, flags.RunnerOptions());
  options.on_notice = [](const std::string& notice) {
    std::cerr << "rekindle: " << notice << '\n';
  };
  // Before anything could make a thread.
  RK_ASSIGN_OR_RETURN(auto host, argo::ProcessHost::Start());
  RK_ASSIGN_OR_RETURN(argo::PodRunnerOptions pod_options,
                      flags.PodOptions(run));
  RK_RETURN_IF_ERROR(flags.SetEnvironment());
  RK_RETURN_IF_ERROR(Keep(run));
  argo::PodRunner pods(std::move(pod_options));
  RK_RETURN_IF_ERROR(pods.MakeFolders());
  argo::Engine engine(run.plan->workflow, run.plan->library, run.info);
  argo::LiveView live(std::cout, [] { return argo::ScreenOf(STDOUT_FILENO); });
  argo::RunView view(flags.format == "table" ? &live : nullptr);
  argo::LocalRunner runner(engine, pods, *host, *run.journal, view, options);
  RK_RETURN_IF_ERROR(runner.Run());
  if (flags.format == "table") {
    if (engine.phase() != argo::Phase::kSucceeded) PrintLogEnds(engine, pods);
    std::cout << "\nLogs and artifacts: " << fs::proximate(run.folder).string()
              << '\n';
  } else {
    std::cout << Render(ToWorkflowJson(run.plan->workflow, engine),
                        flags.format);
  }
  return ExitCode(engine);
}

}  // namespace

int RunCommand(const Arguments& arguments) {
  RunFlags run_flags;
  FlagSet flags(
      "run FILE [-p NAME=VALUE] [flags]",
      "Runs an Argo Workflow on this machine, without a cluster: the same "
      "file, "
      "the same\nnodes, phases and outputs. Each step is a process; images are "
      "not pulled. What\nonly a cluster gives a meaning to is refused by name "
      "(docs/local-runner.md).\nExit status: 0 Succeeded, 1 Failed or Error, 2 "
      "the file cannot run here, 3 there is\nno such file, 4 another process "
      "runs it (--resume), 130/143 stopped.",
      "rekindle run pipeline.yaml -p train-steps=500");
  run_flags.Bind(flags);
  Arguments files;
  if (absl::Status parsed = flags.Parse(arguments, &files); !parsed.ok()) {
    return Fail(parsed);
  }
  if (flags.help_requested()) {
    std::cout << flags.Help();
    return kOk;
  }
  if (files.size() > 1 || (files.empty() && run_flags.resume.empty())) {
    return Fail(absl::InvalidArgumentError(
        "run needs one workflow's file, as in: rekindle run pipeline.yaml"));
  }
  const std::string file = files.empty() ? "" : files.front();
  absl::StatusOr<argo::KeptRun> run = run_flags.Plan(file);
  if (!run.ok()) return Fail(run.status());
  if (run_flags.dry_run) {
    std::cout << Describe(*run->plan);
    return kOk;
  }
  const absl::StatusOr<int> exit_code = Execute(run_flags, *std::move(run));
  return exit_code.ok() ? *exit_code : Fail(exit_code.status());
}

}  // namespace rekindle

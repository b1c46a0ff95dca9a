#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/cancellation.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/uuid.h"
#include "cli/argo/parameter_flags.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/output.h"
#include "nlohmann/json.hpp"
#include "operator/local/local_runner.h"
#include "operator/local/run_plan.h"
#include "operator/local/run_view.h"
#include "operator/local/status_json.h"
#include "operator/view/live_view.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

struct RunFlags {
  ParameterFlags parameters;
  std::string entrypoint;
  std::vector<std::string> templates;
  std::string work_dir = ".rekindle";
  std::string name;
  std::string resume;
  std::string isolation = "auto";
  std::vector<std::string> shares;
  std::vector<std::string> claims;
  std::vector<std::string> image_commands;
  std::optional<int64_t> max_processes;
  absl::Duration grace = absl::Seconds(120);
  std::string db, metadata, pipeline_root;
  bool dry_run = false;
  bool resume_suspended = false;
  std::string format;

  void Bind(FlagSet& flags) {
    parameters.Bind(flags);
    flags.String("entrypoint", "TEMPLATE", &entrypoint,
                 "the template to begin with");
    flags.Strings("template", "FILE", &templates,
                  "WorkflowTemplates that the workflow refers to, beside those "
                  "in its file and Rekindle's own");
    flags.String("name", "NAME", &name, "the name of this run's workflow");
    flags.String("work-dir", "DIR", &work_dir,
                 "where runs are kept: logs, artifacts, what is needed to "
                 "resume");
    flags.String("resume", "RUN", &resume,
                 "go on with a run that failed or was killed: its name, or its "
                 "folder; steps that succeeded keep their outputs");
    flags.String("isolation", "auto|required|none", &isolation,
                 "whether steps have views of their own of the file system: "
                 "those that need one, all of them, or none");
    flags.Strings("share", "PATH", &shares,
                  "a place below /tmp that steps see although /tmp is their "
                  "own");
    flags.Strings("claim", "NAME=DIR", &claims,
                  "the folder that a persistentVolumeClaim is here");
    flags.Strings("image-command", "IMAGE=COMMAND", &image_commands,
                  "what an image runs where a template has no command");
    flags.OptionalInt("max-processes", "N", &max_processes,
                      "steps that run at the same time (default: four per "
                      "processor, at least 16)");
    flags.Duration("grace", &grace,
                   "time for a step to end after SIGTERM, before SIGKILL");
    flags.String("db", "FILE", &db, "the metadata store of Rekindle's steps");
    flags.String("metadata", "URI", &metadata,
                 "the same, as sqlite:FILE or grpc://HOST:PORT");
    flags.String("pipeline-root", "DIR", &pipeline_root,
                 "where Rekindle's steps keep artifacts");
    flags.Bool("resume-suspended", &resume_suspended,
               "do not wait in templates that suspend without a duration");
    flags.Bool("dry-run", &dry_run, "show what would run, and run nothing");
    flags.Format(kOutputFormats, &format);
  }
};

absl::StatusOr<std::map<std::string, std::string>> NamedValues(
    const std::string& flag, const std::vector<std::string>& texts) {
  std::map<std::string, std::string> values;
  for (const std::string& text : texts) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (text.find('=') == std::string::npos || pair.first.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, "=", text, ": expected NAME=VALUE"));
    }
    values[pair.first] = pair.second;
  }
  return values;
}

std::string Absolute(const std::string& path) {
  return fs::absolute(path).lexically_normal();
}

// What is run, and in which folder its traces are.
struct Run {
  argo::RunRequest request;
  argo::RunInfo info;
  std::string folder;
  std::unique_ptr<argo::RunPlan> plan;
  std::unique_ptr<argo::Journal> journal;
};

nlohmann::json ToJson(const Run& run) {
  return {{"name", run.info.name},
          {"uid", run.info.uid},
          {"created", absl::ToUnixMicros(run.info.created_at)},
          {"file", run.request.file},
          {"templates", run.request.template_files},
          {"parameters", run.request.parameters},
          {"entrypoint", run.request.entrypoint},
          {"resume_suspended", run.request.resume_suspended}};
}

// Keeps the files as they are now: who resumes a run means these.
absl::Status KeepFiles(Run& run) {
  const auto keep = [&run](std::string& file,
                           const std::string& name) -> absl::Status {
    RK_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
    file = JoinPath(run.folder, name);
    return WriteFileAtomically(file, text);
  };
  RK_RETURN_IF_ERROR(keep(run.request.file, "workflow.yaml"));
  int count = 0;
  for (std::string& file : run.request.template_files) {
    RK_RETURN_IF_ERROR(keep(file, absl::StrCat("template-", count++, ".yaml")));
  }
  return absl::OkStatus();
}

absl::StatusOr<argo::RunRequest> RequestOf(const RunFlags& flags,
                                           const std::string& file) {
  argo::RunRequest request;
  request.file = file;
  request.template_files = flags.templates;
  request.entrypoint = flags.entrypoint;
  request.resume_suspended = flags.resume_suspended;
  RK_ASSIGN_OR_RETURN(const auto given, flags.parameters.Values());
  for (const auto& [name, value] : given) request.parameters[name] = value;
  return request;
}

std::string RunsFolder(const RunFlags& flags) {
  return Absolute(JoinPath(flags.work_dir, "runs"));
}

// What the workflow says of itself, or the namespace that there always is.
void SetNamespace(Run& run) {
  const std::string& name = run.plan->workflow.namespace_name;
  if (!name.empty()) run.info.namespace_name = name;
}

absl::StatusOr<Run> NewRun(const RunFlags& flags, const std::string& file) {
  Run run;
  RK_ASSIGN_OR_RETURN(run.request, RequestOf(flags, file));
  RK_ASSIGN_OR_RETURN(run.plan, MakeRunPlan(run.request));
  const argo::Workflow& workflow = run.plan->workflow;
  const std::string prefix = !workflow.generate_name.empty()
                                 ? workflow.generate_name
                                 : absl::StrCat(workflow.name, "-");
  const std::string completed = argo::CompleteName(prefix);
  run.info.name = !flags.name.empty()      ? flags.name
                  : !workflow.name.empty() ? workflow.name
                                           : completed;
  if (workflow.kind != argo::WorkflowKind::kWorkflow && flags.name.empty()) {
    run.info.name = completed;
  }
  run.info.uid = RandomUuid();
  run.info.created_at = absl::Now();
  SetNamespace(run);
  run.folder = JoinPath(
      RunsFolder(flags),
      flags.name.empty() ? completed : argo::CompleteName(flags.name + "-"));
  return run;
}

// A run that is resumed is what it was.
absl::Status CheckResume(const RunFlags& flags) {
  const std::pair<bool, absl::string_view> given[] = {
      {!flags.parameters.empty(), "-p and -f"},
      {!flags.entrypoint.empty(), "--entrypoint"},
      {!flags.templates.empty(), "--template"},
      {!flags.name.empty(), "--name"}};
  for (const auto& [is_given, flag] : given) {
    if (!is_given) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("a run that is resumed keeps what it was started with; "
                     "leave ",
                     flag, " out, or start a new one without --resume"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Run> EarlierRun(const RunFlags& flags, const std::string& file) {
  RK_RETURN_IF_ERROR(CheckResume(flags));
  Run run;
  run.folder = fs::is_directory(flags.resume)
                   ? Absolute(flags.resume)
                   : JoinPath(RunsFolder(flags), flags.resume);
  RK_ASSIGN_OR_RETURN(run.journal, argo::Journal::Open(run.folder));
  const nlohmann::json& was = run.journal->run();
  run.request.file = file.empty() ? was.value("file", "") : file;
  run.request.template_files =
      was.value("templates", std::vector<std::string>());
  run.request.parameters =
      was.value("parameters", std::map<std::string, std::string>());
  run.request.entrypoint = was.value("entrypoint", "");
  run.request.resume_suspended =
      flags.resume_suspended || was.value("resume_suspended", false);
  RK_ASSIGN_OR_RETURN(run.plan, MakeRunPlan(run.request));
  run.info.name = was.value("name", "");
  run.info.uid = was.value("uid", "");
  run.info.created_at = absl::FromUnixMicros(was.value("created", int64_t{0}));
  SetNamespace(run);
  return run;
}

absl::StatusOr<argo::Isolation> IsolationOf(const std::string& text) {
  if (text == "auto") return argo::Isolation::kAuto;
  if (text == "required") return argo::Isolation::kRequired;
  if (text == "none") return argo::Isolation::kNone;
  return absl::InvalidArgumentError(
      absl::StrCat("--isolation=", text, ": expected auto, required or none"));
}

void SetIfGiven(const char* name, const std::string& value) {
  if (!value.empty()) setenv(name, value.c_str(), 1);
}

// The folder right below /tmp that `path` is in, where a program may have its
// libraries and its user a clone; `path` itself elsewhere.
std::string TreeOf(const std::string& path) {
  std::vector<std::string> parts = absl::StrSplit(path, '/', absl::SkipEmpty());
  if (parts.size() < 2 || parts[0] != "tmp") return path;
  return absl::StrCat("/tmp/", parts[1]);
}

// What steps see of this machine's /tmp, although they have one of their own.
std::vector<std::string> SharedPaths(const RunFlags& flags, const Run& run,
                                     const std::string& program_folder) {
  std::vector<std::string> shared = {TreeOf(program_folder)};
  for (const std::string& path : flags.shares) {
    shared.push_back(Absolute(path));
  }
  // Data that the user names is meant to be found.
  for (const auto& [name, value] : run.request.parameters) {
    if (absl::StartsWith(value, "/tmp/") && PathExists(value)) {
      shared.push_back(value);
    }
  }
  return shared;
}

absl::StatusOr<argo::PodRunnerOptions> PodOptions(const RunFlags& flags,
                                                  const Run& run) {
  argo::PodRunnerOptions options;
  options.workflow_name = run.info.name;
  options.run_folder = run.folder;
  options.work_folder = fs::current_path();
  options.program_folder =
      fs::read_symlink("/proc/self/exe").parent_path().string();
  RK_ASSIGN_OR_RETURN(options.isolation, IsolationOf(flags.isolation));
  RK_ASSIGN_OR_RETURN(options.claims, NamedValues("claim", flags.claims));
  for (auto& [name, folder] : options.claims) folder = Absolute(folder);
  RK_ASSIGN_OR_RETURN(options.image_commands,
                      NamedValues("image-command", flags.image_commands));
  options.shared = SharedPaths(flags, run, options.program_folder);
  if (!flags.db.empty()) {
    options.shared.push_back(fs::path(Absolute(flags.db)).parent_path());
    SetIfGiven("REKINDLE_DB", Absolute(flags.db));
  }
  if (!flags.pipeline_root.empty()) {
    RK_RETURN_IF_ERROR(MakeDirs(Absolute(flags.pipeline_root)));
    options.shared.push_back(Absolute(flags.pipeline_root));
    SetIfGiven("REKINDLE_PIPELINE_ROOT", Absolute(flags.pipeline_root));
  }
  SetIfGiven("REKINDLE_METADATA", flags.metadata);
  return options;
}

// What of the failed steps' logs a person wants to see first.
void PrintLogEnds(const argo::Engine& engine, const argo::PodRunner& pods) {
  constexpr size_t kLines = 10;
  constexpr int kPods = 3;
  int shown = 0;
  for (const argo::Node& node : engine.tree().nodes()) {
    if (node.type != argo::NodeType::kPod || !IsFailure(node.phase)) continue;
    if (++shown > kPods) return;
    std::string name = node.template_name;
    if (node.template_ref.has_value()) name = node.template_ref->template_name;
    const std::string path = pods.LogPath(
        argo::PodName(engine.info().name, node.name, name, node.id));
    const auto text = ReadFile(path);
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

absl::StatusOr<size_t> MaxProcesses(const RunFlags& flags) {
  const int64_t count = flags.max_processes.value_or(
      std::max(16U, 4 * std::thread::hardware_concurrency()));
  if (count >= 1) return static_cast<size_t>(count);
  return absl::InvalidArgumentError(
      absl::StrCat("--max-processes=", count, ": expected a number from 1 on"));
}

absl::StatusOr<int> Execute(const RunFlags& flags, Run run) {
  argo::LocalRunnerOptions options;
  RK_ASSIGN_OR_RETURN(options.max_processes, MaxProcesses(flags));
  // Before anything could make a thread.
  RK_ASSIGN_OR_RETURN(auto host, argo::ProcessHost::Start());
  RK_ASSIGN_OR_RETURN(argo::PodRunnerOptions pod_options,
                      PodOptions(flags, run));
  RK_RETURN_IF_ERROR(MakeWritableDir(run.folder));
  if (run.journal == nullptr) {
    RK_RETURN_IF_ERROR(KeepFiles(run));
    RK_ASSIGN_OR_RETURN(run.journal,
                        argo::Journal::Create(run.folder, ToJson(run)));
  }
  options.isolation = pod_options.isolation;
  options.grace = flags.grace;
  options.on_notice = [](const std::string& notice) {
    std::cerr << "rekindle: " << notice << '\n';
  };
  argo::PodRunner pods(std::move(pod_options));
  RK_RETURN_IF_ERROR(pods.MakeFolders());
  run.info.arguments = run.plan->arguments;
  run.info.resume_suspended = run.request.resume_suspended;
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
      "the file cannot run here, 3 there is\nno such file, 130/143 stopped.",
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
  absl::StatusOr<Run> run = run_flags.resume.empty()
                                ? NewRun(run_flags, file)
                                : EarlierRun(run_flags, file);
  if (!run.ok()) return Fail(run.status());
  if (run_flags.dry_run) {
    std::cout << Describe(*run->plan);
    return kOk;
  }
  const absl::StatusOr<int> exit_code = Execute(run_flags, *std::move(run));
  return exit_code.ok() ? *exit_code : Fail(exit_code.status());
}

}  // namespace rekindle

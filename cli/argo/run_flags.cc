#include "cli/argo/run_flags.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "cli/output.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

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

absl::StatusOr<argo::Isolation> IsolationOf(const std::string& text) {
  if (text == "auto") return argo::Isolation::kAuto;
  if (text == "required") return argo::Isolation::kRequired;
  if (text == "none") return argo::Isolation::kNone;
  return absl::InvalidArgumentError(
      absl::StrCat("--isolation=", text, ": expected auto, required or none"));
}

absl::StatusOr<size_t> MaxProcesses(const RunFlags& flags) {
  const int64_t count = flags.max_processes.value_or(
      std::max(16U, 4 * std::thread::hardware_concurrency()));
  if (count >= 1) return static_cast<size_t>(count);
  return absl::InvalidArgumentError(
      absl::StrCat("--max-processes=", count, ": expected a number from 1 on"));
}

absl::StatusOr<size_t> MaxLogBytes(const RunFlags& flags) {
  const argo::PodRunnerOptions defaults;
  if (!flags.max_log_bytes.has_value()) return defaults.max_log_bytes;
  if (*flags.max_log_bytes >= 4096) {
    return static_cast<size_t>(*flags.max_log_bytes);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--max-log-bytes=", *flags.max_log_bytes,
                   ": expected a number from 4096 on"));
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
std::vector<std::string> SharedPaths(const RunFlags& flags,
                                     const argo::KeptRun& run,
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
  if (!flags.db.empty()) {
    shared.push_back(fs::path(Absolute(flags.db)).parent_path());
  }
  if (!flags.pipeline_root.empty()) {
    shared.push_back(Absolute(flags.pipeline_root));
  }
  return shared;
}

}  // namespace

void RunFlags::Bind(FlagSet& flags) {
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
  flags.OptionalInt("max-log-bytes", "N", &max_log_bytes,
                    "what is kept of a step's log: its end, once it is longer "
                    "(default: 67108864)");
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

absl::StatusOr<argo::KeptRun> RunFlags::Plan(const std::string& file) const {
  const std::string runs_folder = Absolute(JoinPath(work_dir, "runs"));
  if (!resume.empty()) {
    RK_RETURN_IF_ERROR(CheckResume(*this));
    return argo::OpenKeptRun(fs::is_directory(resume)
                                 ? Absolute(resume)
                                 : JoinPath(runs_folder, resume),
                             {file, resume_suspended});
  }
  argo::RunRequest request;
  request.file = file;
  request.template_files = templates;
  request.entrypoint = entrypoint;
  request.resume_suspended = resume_suspended;
  RK_ASSIGN_OR_RETURN(const auto given, parameters.Values());
  for (const auto& [key, value] : given) request.parameters[key] = value;
  return argo::PlanNewRun(request, name, runs_folder);
}

absl::StatusOr<argo::LocalRunnerOptions> RunFlags::RunnerOptions() const {
  argo::LocalRunnerOptions options;
  RK_ASSIGN_OR_RETURN(options.max_processes, MaxProcesses(*this));
  RK_ASSIGN_OR_RETURN(options.isolation, IsolationOf(isolation));
  options.grace = grace;
  return options;
}

absl::StatusOr<argo::PodRunnerOptions> RunFlags::PodOptions(
    const argo::KeptRun& run) const {
  argo::PodRunnerOptions options;
  options.workflow_name = run.info.name;
  options.run_folder = run.folder;
  options.work_folder = fs::current_path();
  options.program_folder =
      fs::read_symlink("/proc/self/exe").parent_path().string();
  RK_ASSIGN_OR_RETURN(options.isolation, IsolationOf(isolation));
  RK_ASSIGN_OR_RETURN(options.claims, NamedValues("claim", claims));
  for (auto& [claim, folder] : options.claims) folder = Absolute(folder);
  RK_ASSIGN_OR_RETURN(options.image_commands,
                      NamedValues("image-command", image_commands));
  RK_ASSIGN_OR_RETURN(options.max_log_bytes, MaxLogBytes(*this));
  options.shared = SharedPaths(*this, run, options.program_folder);
  return options;
}

absl::Status RunFlags::SetEnvironment() const {
  SetIfGiven("REKINDLE_METADATA", metadata);
  if (!db.empty()) SetIfGiven("REKINDLE_DB", Absolute(db));
  if (pipeline_root.empty()) return absl::OkStatus();
  SetIfGiven("REKINDLE_PIPELINE_ROOT", Absolute(pipeline_root));
  return MakeDirs(Absolute(pipeline_root));
}

}  // namespace rekindle

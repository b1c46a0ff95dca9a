#include "operator/local/pod_runner.h"

#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "base/utf8.h"
#include "operator/local/file_copy.h"

namespace rekindle::argo {
namespace {

namespace fs = std::filesystem;

// What argoexec ends with when it cannot start a command.
constexpr int kCannotStart = 64;
// Of artifacts that a run keeps itself.
constexpr char kLocal[] = "local";

// The claim of Rekindle's own templates: the folder that steps work in.
constexpr char kWorkspaceClaim[] = "rekindle-artifacts";

bool HasPath(const Parameter& output) {
  return output.value_from.has_value() && !output.value_from->path.empty();
}

bool IsBelow(const std::string& path, const std::string& folder) {
  return path == folder || absl::StartsWith(path, absl::StrCat(folder, "/"));
}

std::string Deadline(absl::Time deadline) {
  return deadline == absl::InfiniteFuture()
             ? "0001-01-01T00:00:00Z"
             : absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", deadline,
                                absl::UTCTimeZone());
}

const Container& ContainerOf(const Template& definition) {
  return definition.script.has_value() ? *definition.script
                                       : *definition.container;
}

int ExitCodeOf(const ProcessReport& report) {
  if (!report.start_error.ok()) return kCannotStart;
  return report.end.signal != 0 ? 128 + report.end.signal
                                : report.end.exit_code;
}

std::string StartMessage(const absl::Status& error, const Container& of) {
  if (error.code() != absl::StatusCode::kNotFound || of.command.empty()) {
    return std::string(error.message());
  }
  return absl::StrCat(
      "there is no program '", of.command[0],
      "' here: images are not pulled, install it or put it into PATH");
}

}  // namespace

PodRunner::PodRunner(PodRunnerOptions options) : options_(std::move(options)) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string line = *entry;
    const size_t at = line.find('=');
    if (at != std::string::npos) {
      environment_[line.substr(0, at)] = line.substr(at + 1);
    }
  }
  std::string& path = environment_["PATH"];
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  path = absl::StrCat(options_.program_folder, ":", path);
  environment_["ARGO_CONTAINER_NAME"] = "main";
  environment_["ARGO_WORKFLOW_NAME"] = options_.workflow_name;
}

PodRunner::~PodRunner() = default;

absl::Status PodRunner::MakeFolders() {
  for (const char* name : {"logs", "artifacts", "pods", "reports"}) {
    RK_RETURN_IF_ERROR(MakeDirs(JoinPath(options_.run_folder, name)));
  }
  return absl::OkStatus();
}

std::string PodRunner::LogPath(const std::string& pod_name) const {
  return absl::StrCat(options_.run_folder, "/logs/", pod_name, ".log");
}

std::string PodRunner::ProgressPath(const std::string& node_id) const {
  return absl::StrCat(options_.run_folder, "/reports/", node_id, ".progress");
}

std::string PodRunner::PodFolder(const PodTask& task) const {
  return absl::StrCat(options_.run_folder, "/pods/", task.node_id);
}

bool PodRunner::WantsView(const PodTask& task) const {
  if (options_.isolation != Isolation::kAuto) {
    return options_.isolation == Isolation::kRequired;
  }
  return !OwnPaths(task).empty() || !task.mounts.empty();
}

std::vector<std::string> PodRunner::OwnPaths(const PodTask& task) const {
  std::vector<std::string> paths;
  for (const Artifact& artifact : task.definition->inputs.artifacts) {
    if (!artifact.path.empty()) paths.push_back(artifact.path);
  }
  for (const Artifact& artifact : task.definition->outputs.artifacts) {
    if (!artifact.path.empty()) paths.push_back(artifact.path);
  }
  for (const Parameter& output : task.definition->outputs.parameters) {
    if (HasPath(output)) paths.push_back(output.value_from->path);
  }
  return paths;
}

absl::StatusOr<std::string> PodRunner::VolumeFolder(
    const PodTask& task, const PodMount& mount) const {
  std::string folder;
  switch (mount.kind) {
    case PodMount::Kind::kHostPath:
      folder = mount.host_path;
      break;
    case PodMount::Kind::kClaim: {
      const auto named = options_.claims.find(mount.name);
      if (named != options_.claims.end()) {
        folder = named->second;
      } else if (mount.name == kWorkspaceClaim) {
        folder = options_.work_folder;
      } else {
        folder = absl::StrCat(
            fs::path(options_.run_folder).parent_path().parent_path().string(),
            "/claims/", mount.name);
      }
      break;
    }
    case PodMount::Kind::kClaimTemplate:
      folder = absl::StrCat(options_.run_folder, "/volumes/", mount.name);
      break;
    case PodMount::Kind::kEmptyDir:
      folder = absl::StrCat(PodFolder(task), "/volumes/", mount.name);
      break;
  }
  if (!mount.sub_path.empty()) folder = JoinPath(folder, mount.sub_path);
  if (!PathExists(folder)) RK_RETURN_IF_ERROR(MakeDirs(folder));
  return folder;
}

absl::Status PodRunner::AddMount(const PodTask& task, const PodMount& mount,
                                 PodView& view) {
  // /tmp is the pod's own anyway, with what is shared in it.
  if (mount.kind == PodMount::Kind::kEmptyDir && mount.path == "/tmp") {
    return absl::OkStatus();
  }
  RK_ASSIGN_OR_RETURN(const std::string folder, VolumeFolder(task, mount));
  return view.Mount(folder, mount.path, mount.read_only);
}

absl::StatusOr<std::unique_ptr<PodView>> PodRunner::MakeView(
    const PodTask& task) {
  auto view = std::make_unique<PodView>(JoinPath(PodFolder(task), "root"),
                                        JoinPath(options_.run_folder, "root"));
  RK_RETURN_IF_ERROR(view->MakePrivate("/tmp"));
  for (const PodMount& mount : task.mounts) {
    RK_RETURN_IF_ERROR(AddMount(task, mount, *view));
  }
  std::vector<std::string> shared = options_.shared;
  shared.insert(shared.end(), {options_.work_folder, options_.run_folder,
                               options_.program_folder});
  for (const std::string& path : shared) {
    RK_RETURN_IF_ERROR(view->Share(path));
  }
  for (const std::string& path : OwnPaths(task)) {
    RK_ASSIGN_OR_RETURN(const std::string placed, view->Place(path));
    RK_RETURN_IF_ERROR(MakeDirs(fs::path(placed).parent_path()));
  }
  return view;
}

absl::Status PodRunner::CheckWithoutView(const PodTask& task) const {
  for (const std::string& path : OwnPaths(task)) {
    if (!PathExists(path)) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "step '", task.node_name, "' would replace ", path,
        " of this machine, because steps have no views of their own here "
        "(--isolation); move it away"));
  }
  for (const PodMount& mount : task.mounts) {
    if (mount.kind == PodMount::Kind::kClaim || mount.path == "/tmp") continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "step '", task.node_name, "' mounts ", mount.path,
        ", which needs a view of the file system of its own (--isolation)"));
  }
  return absl::OkStatus();
}

std::string PodRunner::StoredPath(const Artifact& artifact) const {
  std::string path =
      absl::StrCat(options_.run_folder, "/artifacts/", artifact.key);
  if (!artifact.sub_path.empty()) path = JoinPath(path, artifact.sub_path);
  return path;
}

absl::Status PodRunner::PlaceInputs(const PodTask& task, PodView* view) {
  for (const Artifact& artifact : task.definition->inputs.artifacts) {
    if (artifact.path.empty()) continue;
    const bool nowhere = artifact.key.empty() && !artifact.raw_data.has_value();
    if (nowhere && artifact.optional) continue;
    std::string target = artifact.path;
    if (view != nullptr) {
      RK_ASSIGN_OR_RETURN(target, view->Place(artifact.path));
    }
    if (artifact.raw_data.has_value()) {
      RK_RETURN_IF_ERROR(MakeDirs(fs::path(target).parent_path()));
      RK_RETURN_IF_ERROR(WriteFileAtomically(target, *artifact.raw_data));
    } else {
      const std::string stored = StoredPath(artifact);
      if (!PathExists(stored) && artifact.optional) continue;
      RK_RETURN_IF_ERROR(
          WithContext(CopyTree(stored, target),
                      absl::StrCat("input artifact '", artifact.name, "'")));
    }
    if (artifact.mode.has_value()) {
      chmod(target.c_str(), static_cast<mode_t>(*artifact.mode));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> PodRunner::Arguments(
    const PodTask& task) const {
  const Container& container = ContainerOf(*task.definition);
  std::vector<std::string> argv = container.command;
  const auto of_image = options_.image_commands.find(container.image);
  if (argv.empty() && of_image != options_.image_commands.end()) {
    argv = absl::StrSplit(of_image->second, ' ', absl::SkipEmpty());
  }
  if (argv.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        container.position.ToString(), ": template '", task.definition->name,
        "' has no command, and what image '", container.image,
        "' would run is not known here; write the command, or name it with "
        "--image-command"));
  }
  if (task.definition->script.has_value()) {
    const std::string script = absl::StrCat(PodFolder(task), "/script");
    RK_RETURN_IF_ERROR(MakeDirs(PodFolder(task)));
    RK_RETURN_IF_ERROR(
        WriteFileAtomically(script, task.definition->script->source));
    argv.push_back(script);
  }
  argv.insert(argv.end(), container.args.begin(), container.args.end());
  return argv;
}

std::vector<std::string> PodRunner::Environment(const PodTask& task) const {
  std::map<std::string, std::string> all = environment_;
  all["ARGO_NODE_ID"] = task.node_id;
  all["ARGO_INCLUDE_SCRIPT_OUTPUT"] = task.wants_result ? "true" : "false";
  all["ARGO_DEADLINE"] = Deadline(task.deadline);
  all["ARGO_PROGRESS_FILE"] = ProgressPath(task.node_id);
  all["REKINDLE_TERMINATION_LOG"] =
      absl::StrCat(options_.run_folder, "/reports/", task.node_id, ".message");
  for (const EnvVar& variable : ContainerOf(*task.definition).env) {
    all[variable.name] = variable.value;
  }
  std::vector<std::string> lines;
  lines.reserve(all.size());
  for (const auto& [name, value] : all) {
    lines.push_back(absl::StrCat(name, "=", value));
  }
  return lines;
}

// A claim's folder has a name on this machine that stays true when the pod has
// ended: a step that works in it gets that one.
std::string PodRunner::WorkingFolder(const PodTask& task) const {
  const std::string& wanted = ContainerOf(*task.definition).working_dir;
  if (wanted.empty()) return options_.work_folder;
  for (const PodMount& mount : task.mounts) {
    if (mount.kind != PodMount::Kind::kClaim || !IsBelow(wanted, mount.path)) {
      continue;
    }
    const auto folder = VolumeFolder(task, mount);
    if (folder.ok()) {
      return absl::StrCat(*folder, wanted.substr(mount.path.size()));
    }
  }
  return wanted;
}

absl::StatusOr<ProcessSpec> PodRunner::Prepare(const PodTask& task) {
  if (!task.definition->container.has_value() &&
      !task.definition->script.has_value()) {
    // A template of a library, as the pods of one step: those are not checked
    // before a run.
    return absl::InvalidArgumentError(absl::StrCat(
        "template '", task.definition->name, "' is a ",
        KindName(task.definition->kind()), ", which only a cluster has"));
  }
  ProcessSpec spec;
  RK_ASSIGN_OR_RETURN(spec.argv, Arguments(task));
  spec.environment = Environment(task);
  spec.search_path = environment_["PATH"];
  for (const EnvVar& variable : ContainerOf(*task.definition).env) {
    if (variable.name == "PATH") spec.search_path = variable.value;
  }
  spec.folder = WorkingFolder(task);
  spec.log_path = LogPath(task.pod_name);
  spec.capture_output = task.wants_result;
  if (!WantsView(task)) {
    RK_RETURN_IF_ERROR(CheckWithoutView(task));
    RK_RETURN_IF_ERROR(PlaceInputs(task, nullptr));
    return spec;
  }
  RK_ASSIGN_OR_RETURN(std::unique_ptr<PodView> view, MakeView(task));
  RK_RETURN_IF_ERROR(PlaceInputs(task, view.get()));
  RK_ASSIGN_OR_RETURN(spec.view, view->Build());
  views_[task.node_id] = std::move(view);
  return spec;
}

std::string PodRunner::Outside(const PodTask& task,
                               const std::string& path) const {
  const auto found = views_.find(task.node_id);
  return found == views_.end() ? path : found->second->Outside(path);
}

absl::Status PodRunner::TakeParameters(const PodTask& task,
                                       NodeOutputs& outputs) const {
  for (const Parameter& declared : task.definition->outputs.parameters) {
    if (!HasPath(declared)) continue;
    const std::string& path = declared.value_from->path;
    absl::StatusOr<std::string> text = ReadFile(Outside(task, path));
    if (!text.ok() && declared.value_from->default_value.has_value()) {
      text = *declared.value_from->default_value;
    }
    if (!text.ok()) {
      return absl::NotFoundError(absl::StrCat(
          "output parameter '", declared.name, "': the step wrote no ", path,
          "; write it or give valueFrom a default"));
    }
    Parameter given = declared;
    given.value_from.reset();
    given.value = ReplaceInvalidUtf8(absl::StripSuffix(*text, "\n"));
    outputs.parameters.push_back(std::move(given));
  }
  return absl::OkStatus();
}

absl::Status PodRunner::TakeArtifacts(const PodTask& task,
                                      NodeOutputs& outputs) const {
  for (const Artifact& declared : task.definition->outputs.artifacts) {
    if (declared.path.empty()) continue;
    const std::string from = Outside(task, declared.path);
    if (!PathExists(from)) {
      if (declared.optional) continue;
      return absl::NotFoundError(absl::StrCat(
          "output artifact '", declared.name, "': the step wrote no ",
          declared.path, "; write it or say optional: true"));
    }
    Artifact stored = declared;
    if (stored.key.empty()) {
      stored.key = absl::StrCat(task.pod_name, "/", declared.name);
    }
    stored.location = kLocal;
    const std::string to = StoredPath(stored);
    RK_RETURN_IF_ERROR(RemoveTree(to));
    // What is on a volume stays there.
    const bool own = IsBelow(from, JoinPath(PodFolder(task), "root"));
    RK_RETURN_IF_ERROR(own ? MoveTree(from, to) : CopyTree(from, to));
    outputs.artifacts.push_back(std::move(stored));
  }
  return absl::OkStatus();
}

PodResult PodRunner::Finish(const PodTask& task, const ProcessReport& report) {
  PodResult result;
  const int code = ExitCodeOf(report);
  result.outputs.exit_code = absl::StrCat(code);
  if (task.wants_result && report.start_error.ok()) {
    result.outputs.result =
        ReplaceInvalidUtf8(absl::StripSuffix(report.output, "\n"));
  }
  absl::Status taken = TakeParameters(task, result.outputs);
  if (taken.ok()) taken = TakeArtifacts(task, result.outputs);
  if (code != 0) {
    result.phase = Phase::kFailed;
    result.message = absl::StrCat("main: Error (exit code ", code, ")");
    absl::StatusOr<std::string> why = ReadFile(absl::StrCat(
        options_.run_folder, "/reports/", task.node_id, ".message"));
    if (!report.start_error.ok()) {
      why = StartMessage(report.start_error, ContainerOf(*task.definition));
    }
    if (why.ok() && !why->empty()) {
      absl::StrAppend(&result.message, ": ", absl::StripAsciiWhitespace(*why));
    }
  } else if (!taken.ok()) {
    result.phase = Phase::kError;
    result.message = std::string(taken.message());
  }
  CleanUp(task);
  return result;
}

void PodRunner::CleanUp(const PodTask& task) {
  const bool had_view = views_.erase(task.node_id) > 0;
  if (!had_view) {
    if (options_.isolation != Isolation::kNone) return;
    // What lay at the machine's own paths was this pod's.
    for (const std::string& path : OwnPaths(task))
      RemoveTree(path).IgnoreError();
    return;
  }
  RemoveTree(JoinPath(PodFolder(task), "root")).IgnoreError();
}

}  // namespace rekindle::argo

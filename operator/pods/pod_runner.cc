#include "operator/pods/pod_runner.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/bounded_read.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "operator/pods/pod_files.h"
#include "operator/workflow/object_name.h"

namespace rekindle::argo {
namespace {

namespace fs = std::filesystem;

// What argoexec ends with when it cannot start a command.
constexpr int kCannotStart = 64;
// Kubernetes takes as much of a termination log.
constexpr size_t kLongestMessage = 4096;

int ExitCodeOf(const ProcessReport& report) {
  if (!report.start_error.ok()) return kCannotStart;
  return report.end.signal != 0 ? 128 + report.end.signal
                                : report.end.exit_code;
}

std::string StartMessage(const ProcessReport& report, const Container& of) {
  if (!report.program_missing || of.command.empty()) {
    return std::string(report.start_error.message());
  }
  return absl::StrCat(
      "there is no program '", of.command[0],
      "' here: images are not pulled, install it or put it into PATH");
}

absl::Status CheckWithoutView(const PodTask& task) {
  for (const std::string& path : FilePaths(task)) {
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

// Names become parts of paths here. Kubernetes and the linter have looked at
// most of them; a tag's value, or another file's template, may say anything.
absl::Status CheckNames(const PodTask& task) {
  for (const std::string& name : {task.pod_name, task.node_id}) {
    if (SubPathProblem(name).empty() && !absl::StrContains(name, '/')) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("step '", task.node_name, "' would be the pod '", name,
                     "', which is no name; mend that of its template"));
  }
  for (const Artifact& artifact : task.definition->outputs.artifacts) {
    if (!absl::StrContains(artifact.name, '/')) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "output artifact '", artifact.name, "': a name must not contain '/'"));
  }
  return absl::OkStatus();
}

absl::Status CheckPaths(const PodTask& task) {
  std::vector<std::string> paths = FilePaths(task);
  for (const PodMount& mount : task.mounts) paths.push_back(mount.path);
  for (const std::string& path : paths) {
    const std::string problem =
        SubPathProblem(std::string(absl::StripPrefix(path, "/")));
    if (problem.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "step '", task.node_name, "': the path '", path, "' ", problem));
  }
  return absl::OkStatus();
}

}  // namespace

PodRunner::PodRunner(PodRunnerOptions options)
    : options_(std::move(options)),
      paths_(options_),
      processes_(options_, paths_) {}

PodRunner::~PodRunner() = default;

std::vector<std::string> PodRunner::OwnPaths(const PodTask& task) const {
  return FilePaths(task);
}

bool PodRunner::WantsView(const PodTask& task) const {
  if (options_.isolation != Isolation::kAuto) {
    return options_.isolation == Isolation::kRequired;
  }
  return !FilePaths(task).empty() || !task.mounts.empty();
}

absl::Status PodRunner::AddMount(const PodTask& task, const PodMount& mount,
                                 PodView& view) const {
  // /tmp is the pod's own anyway, with what is shared in it.
  if (mount.kind == PodMount::Kind::kEmptyDir && mount.path == "/tmp") {
    return absl::OkStatus();
  }
  RK_ASSIGN_OR_RETURN(const std::string folder, paths_.Volume(task, mount));
  return view.Mount(folder, mount.path, mount.read_only);
}

absl::StatusOr<std::unique_ptr<PodView>> PodRunner::MakeView(
    const PodTask& task) const {
  auto view =
      std::make_unique<PodView>(paths_.OwnRoot(task), paths_.CommonRoot());
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
  for (const std::string& path : FilePaths(task)) {
    RK_ASSIGN_OR_RETURN(const std::string placed, view->Place(path));
    RK_RETURN_IF_ERROR(MakeDirs(fs::path(placed).parent_path()));
  }
  return view;
}

const PodView* PodRunner::ViewOf(const PodTask& task) const {
  const auto found = views_.find(task.node_id);
  return found == views_.end() ? nullptr : found->second.get();
}

// A run that goes on has the pods, by id, of the run that was killed.
absl::Status PodRunner::RemoveEarlierAttempt(const PodTask& task) const {
  for (const std::string& path :
       {paths_.Folder(task), paths_.Message(task.node_id),
        paths_.Progress(task.node_id)}) {
    RK_RETURN_IF_ERROR(RemoveTree(path));
  }
  return absl::OkStatus();
}

absl::StatusOr<ProcessSpec> PodRunner::Prepare(const PodTask& task) {
  RK_RETURN_IF_ERROR(CheckNames(task));
  RK_RETURN_IF_ERROR(CheckPaths(task));
  RK_RETURN_IF_ERROR(RemoveEarlierAttempt(task));
  RK_ASSIGN_OR_RETURN(ProcessSpec spec, processes_.Make(task));
  if (!WantsView(task)) {
    RK_RETURN_IF_ERROR(CheckWithoutView(task));
    absl::Status placed = PlaceInputs(task, paths_, nullptr);
    if (placed.ok()) return spec;
    Discard(task);
    return placed;
  }
  RK_ASSIGN_OR_RETURN(std::unique_ptr<PodView> view, MakeView(task));
  RK_RETURN_IF_ERROR(PlaceInputs(task, paths_, view.get()));
  RK_ASSIGN_OR_RETURN(spec.view, view->Build());
  views_[task.node_id] = std::move(view);
  return spec;
}

void PodRunner::TrimLog(const PodTask& task) {
  LimitLog(paths_.Log(task.pod_name), options_.max_log_bytes,
           dropped_[task.node_id])
      .IgnoreError();
}

PodResult PodRunner::Finish(const PodTask& task, const ProcessReport& report) {
  TrimLog(task);
  PodResult result;
  const int code = ExitCodeOf(report);
  result.outputs.exit_code = absl::StrCat(code);
  if (task.wants_result && report.start_error.ok()) {
    result.outputs.result =
        ReplaceInvalidUtf8(absl::StripSuffix(report.output, "\n"));
  }
  const absl::Status taken =
      TakeOutputs(task, paths_, ViewOf(task), result.outputs);
  if (code != 0) {
    result.phase = Phase::kFailed;
    result.message = absl::StrCat("main: Error (exit code ", code, ")");
    Explain(task, report, result.message);
  } else if (!taken.ok()) {
    result.phase = Phase::kError;
    result.message = std::string(taken.message());
  }
  Discard(task);
  return result;
}

// Adds what is known about a failure.
void PodRunner::Explain(const PodTask& task, const ProcessReport& report,
                        std::string& message) const {
  absl::StatusOr<std::string> why =
      ReadFileStart(paths_.Message(task.node_id), kLongestMessage);
  if (!report.start_error.ok()) {
    why = StartMessage(report, ContainerOf(*task.definition));
  }
  if (why.ok() && !why->empty()) {
    absl::StrAppend(&message, ": ",
                    ReplaceInvalidUtf8(absl::StripAsciiWhitespace(*why)));
  }
}

void PodRunner::Discard(const PodTask& task) {
  const bool had_view = views_.erase(task.node_id) > 0;
  if (!had_view) {
    if (options_.isolation != Isolation::kNone) return;
    // What lay at the machine's own paths was this pod's.
    for (const std::string& path : FilePaths(task)) {
      RemoveTree(path).IgnoreError();
    }
    return;
  }
  RemoveTree(paths_.OwnRoot(task)).IgnoreError();
}

}  // namespace rekindle::argo

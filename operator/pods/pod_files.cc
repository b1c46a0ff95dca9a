#include "operator/pods/pod_files.h"

#include <fcntl.h>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/bounded_read.h"
#include "base/copy_tree.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "base/utf8.h"
#include "operator/pods/beneath.h"

namespace rekindle::argo {
namespace {

namespace fs = std::filesystem;

// Of artifacts that a run keeps itself.
constexpr char kLocal[] = "local";
// Kubernetes would keep it in an object, which has at most 1.5 MiB.
constexpr size_t kLongestParameter = size_t{1} << 20;

bool HasPath(const Parameter& output) {
  return output.value_from.has_value() && !output.value_from->path.empty();
}

std::string Outside(const PodView* view, const std::string& path) {
  return view == nullptr ? path : view->Outside(path);
}

absl::Status PlaceInput(const Artifact& artifact, const PodPaths& paths,
                        PodView* view) {
  std::string target = artifact.path;
  if (view != nullptr) {
    RK_ASSIGN_OR_RETURN(target, view->Place(artifact.path));
  }
  if (artifact.raw_data.has_value()) {
    RK_RETURN_IF_ERROR(MakeDirs(fs::path(target).parent_path()));
    RK_RETURN_IF_ERROR(WriteFileAtomically(target, *artifact.raw_data));
  } else {
    RK_ASSIGN_OR_RETURN(const std::string stored, paths.Stored(artifact));
    if (!PathExists(stored) && artifact.optional) return absl::OkStatus();
    RK_RETURN_IF_ERROR(
        WithContext(CopyPlainTree(stored, target),
                    absl::StrCat("input artifact '", artifact.name, "'")));
  }
  if (artifact.mode.has_value()) {
    fchmodat(AT_FDCWD, target.c_str(), static_cast<mode_t>(*artifact.mode),
             AT_SYMLINK_NOFOLLOW);
  }
  return absl::OkStatus();
}

// What the parameter is when the step wrote no file.
absl::StatusOr<std::string> WithoutFile(const Parameter& declared) {
  const ValueFrom& from = *declared.value_from;
  if (from.default_value.has_value()) return *from.default_value;
  return absl::NotFoundError(
      absl::StrCat("the step wrote no ", from.path,
                   "; write it or give valueFrom a default"));
}

absl::Status TakeParameters(const PodTask& task, const PodView* view,
                            NodeOutputs& outputs) {
  for (const Parameter& declared : task.definition->outputs.parameters) {
    if (!HasPath(declared)) continue;
    const std::string& path = declared.value_from->path;
    absl::StatusOr<std::string> text =
        ReadRegularFile(Outside(view, path), kLongestParameter);
    if (absl::IsNotFound(text.status())) text = WithoutFile(declared);
    if (!text.ok()) {
      return WithContext(text.status(), absl::StrCat("output parameter '",
                                                     declared.name, "'"));
    }
    Parameter given = declared;
    given.value_from.reset();
    given.value = ReplaceInvalidUtf8(absl::StripSuffix(*text, "\n"));
    outputs.parameters.push_back(std::move(given));
  }
  return absl::OkStatus();
}

absl::Status TakeArtifacts(const PodTask& task, const PodPaths& paths,
                           const PodView* view, NodeOutputs& outputs) {
  for (const Artifact& declared : task.definition->outputs.artifacts) {
    if (declared.path.empty()) continue;
    const std::string from = Outside(view, declared.path);
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
    RK_ASSIGN_OR_RETURN(const std::string to, paths.Stored(stored));
    RK_RETURN_IF_ERROR(
        WithContext(CheckPlainTree(from),
                    absl::StrCat("output artifact '", declared.name, "'")));
    RK_RETURN_IF_ERROR(RemoveTree(to));
    // What is on a volume stays there.
    const bool own = IsBelow(from, paths.OwnRoot(task));
    RK_RETURN_IF_ERROR(own ? MovePlainTree(from, to) : CopyPlainTree(from, to));
    outputs.artifacts.push_back(std::move(stored));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> FilePaths(const PodTask& task) {
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

absl::Status PlaceInputs(const PodTask& task, const PodPaths& paths,
                         PodView* view) {
  for (const Artifact& artifact : task.definition->inputs.artifacts) {
    if (artifact.path.empty()) continue;
    const bool nowhere = artifact.key.empty() && !artifact.raw_data.has_value();
    if (nowhere && artifact.optional) continue;
    RK_RETURN_IF_ERROR(PlaceInput(artifact, paths, view));
  }
  return absl::OkStatus();
}

absl::Status TakeOutputs(const PodTask& task, const PodPaths& paths,
                         const PodView* view, NodeOutputs& outputs) {
  RK_RETURN_IF_ERROR(TakeParameters(task, view, outputs));
  return TakeArtifacts(task, paths, view, outputs);
}

}  // namespace rekindle::argo

#include "operator/pods/pod_paths.h"

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "operator/pods/beneath.h"
#include "operator/workflow/object_name.h"

namespace rekindle::argo {
namespace {

namespace fs = std::filesystem;

// The claim of Rekindle's own templates: the folder that steps work in.
constexpr char kWorkspaceClaim[] = "rekindle-artifacts";

}  // namespace

absl::Status PodPaths::MakeFolders() const {
  for (const char* name : {"logs", "artifacts", "pods", "reports"}) {
    RK_RETURN_IF_ERROR(MakeDirs(JoinPath(options_.run_folder, name)));
  }
  return absl::OkStatus();
}

std::string PodPaths::Log(const std::string& pod_name) const {
  return absl::StrCat(options_.run_folder, "/logs/", pod_name, ".log");
}

std::string PodPaths::Progress(const std::string& node_id) const {
  return absl::StrCat(options_.run_folder, "/reports/", node_id, ".progress");
}

std::string PodPaths::Message(const std::string& node_id) const {
  return absl::StrCat(options_.run_folder, "/reports/", node_id, ".message");
}

std::string PodPaths::Folder(const PodTask& task) const {
  return absl::StrCat(options_.run_folder, "/pods/", task.node_id);
}

std::string PodPaths::OwnRoot(const PodTask& task) const {
  return JoinPath(Folder(task), "root");
}

std::string PodPaths::CommonRoot() const {
  return JoinPath(options_.run_folder, "root");
}

absl::StatusOr<std::string> PodPaths::Stored(const Artifact& artifact) const {
  for (const std::string& part : {artifact.key, artifact.sub_path}) {
    const std::string problem = SubPathProblem(part);
    if (problem.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "artifact '", artifact.name, "': the path '", part, "' ", problem));
  }
  std::string path =
      absl::StrCat(options_.run_folder, "/artifacts/", artifact.key);
  if (artifact.sub_path.empty()) return path;
  return ResolveBeneath(path, artifact.sub_path);
}

std::string PodPaths::Claim(const std::string& name) const {
  const auto named = options_.claims.find(name);
  if (named != options_.claims.end()) return named->second;
  if (name == kWorkspaceClaim) return options_.work_folder;
  return absl::StrCat(
      fs::path(options_.run_folder).parent_path().parent_path().string(),
      "/claims/", name);
}

absl::StatusOr<std::string> PodPaths::Volume(const PodTask& task,
                                             const PodMount& mount) const {
  std::string folder;
  switch (mount.kind) {
    case PodMount::Kind::kHostPath:
      folder = mount.host_path;
      break;
    case PodMount::Kind::kClaim:
      folder = Claim(mount.name);
      break;
    case PodMount::Kind::kClaimTemplate:
      folder = absl::StrCat(options_.run_folder, "/volumes/", mount.name);
      break;
    case PodMount::Kind::kEmptyDir:
      folder = absl::StrCat(Folder(task), "/volumes/", mount.name);
      break;
  }
  if (!mount.sub_path.empty()) {
    RK_RETURN_IF_ERROR(MakeDirs(folder));
    RK_ASSIGN_OR_RETURN(folder, ResolveBeneath(folder, mount.sub_path));
  }
  if (!PathExists(folder)) RK_RETURN_IF_ERROR(MakeDirs(folder));
  return folder;
}

}  // namespace rekindle::argo

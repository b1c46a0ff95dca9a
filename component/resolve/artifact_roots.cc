#include "component/resolve/artifact_roots.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/digest.h"
#include "base/durable_dirs.h"
#include "base/file_util.h"
#include "base/path_fence.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

constexpr char kImportedFolder[] = ".system/imported";

std::string NotePath(const std::string& pipeline_root, const std::string& uri) {
  Sha256 hash;
  hash.Update(uri);
  return absl::StrCat(pipeline_root, "/", kImportedFolder, "/",
                      hash.HexDigest());
}

bool HoldsDotDot(const std::string& uri) {
  const std::filesystem::path path(uri);
  return std::any_of(path.begin(), path.end(),
                     [](const auto& part) { return part == ".."; });
}

// A link's end is told, too: a uri that looks right may lead elsewhere.
std::string WithRealPath(const std::string& uri) {
  const std::string real = RealPath(uri);
  if (real.empty() || real == uri) return uri;
  return absl::StrCat(uri, ", which is ", real, ",");
}

}  // namespace

ArtifactRoots::ArtifactRoots(const std::string& pipeline_root,
                             const std::vector<std::string>& others)
    : pipeline_root_(pipeline_root), places_(others) {
  if (!pipeline_root.empty()) places_.insert(places_.begin(), pipeline_root);
}

ArtifactRoots ArtifactRoots::Anywhere() { return {"", {"/"}}; }

ArtifactRoots ArtifactRoots::And(const std::string& place) const {
  ArtifactRoots more = *this;
  more.places_.push_back(place);
  return more;
}

absl::StatusOr<PathFence> ArtifactRoots::FenceFor(
    const std::string& uri) const {
  if (uri.empty()) return absl::FailedPreconditionError("it has no uri");
  if (absl::StrContains(uri, "://")) {
    return absl::FailedPreconditionError(
        absl::StrCat("its uri ", uri, " is not a path on this machine"));
  }
  if (HoldsDotDot(uri)) {
    return absl::FailedPreconditionError(
        absl::StrCat("its uri ", uri, " holds '..'"));
  }
  std::vector<std::string> places = places_;
  if (IsImported(uri)) places.push_back(uri);
  PathFence fence(places);
  if (fence.Holds(uri)) return fence;
  return absl::FailedPreconditionError(absl::StrCat(
      WithRealPath(uri), " is not below ", Describe(),
      "; --artifact-root=DIR takes artifacts from below another folder"));
}

bool ArtifactRoots::IsImported(const std::string& uri) const {
  if (pipeline_root_.empty()) return false;
  const absl::StatusOr<std::string> note =
      ReadFile(NotePath(pipeline_root_, uri));
  return note.ok() && *note == uri;
}

std::string ArtifactRoots::Describe() const {
  if (places_.empty()) return "any folder that artifacts are taken from";
  return absl::StrCat(pipeline_root_.empty() ? "" : "the pipeline root ",
                      absl::StrJoin(places_, " or "));
}

absl::Status NoteImport(const std::string& pipeline_root,
                        const std::string& uri) {
  RK_RETURN_IF_ERROR(MakeDurableDirs(JoinPath(pipeline_root, kImportedFolder)));
  return WriteFileAtomically(NotePath(pipeline_root, uri), uri);
}

}  // namespace rekindle

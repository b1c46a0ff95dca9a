#include "component/steps/serving_folder.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/uuid.h"
#include "component/launch/failure.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

// How often another push may be quicker before this one gives up.
constexpr int kRenameAttempts = 100;

// The beginning of the hidden names of all attempts of this push.
std::string HiddenPrefix(const VersionPush& push) {
  return absl::StrCat(".pushing-", push.name, "-");
}

std::string PathOf(const VersionPush& push, int64_t version) {
  return JoinPath(push.folder, absl::StrCat(version));
}

absl::Status CheckIsModel(const std::string& model) {
  if (PathExists(JoinPath(model, "saved_model.pb"))) return absl::OkStatus();
  return WithReason(
      FailureReason::kInputUnusable,
      absl::NotFoundError(absl::StrCat("there is no SavedModel in ", model,
                                       ": it has no saved_model.pb")));
}

// The version that an earlier attempt made appear, if it came so far.
absl::StatusOr<std::optional<int64_t>> FinishedBefore(const VersionPush& push) {
  const absl::StatusOr<std::string> note = ReadFile(push.note_path);
  int64_t version = 0;
  if (!note.ok() || !absl::SimpleAtoi(*note, &version)) return std::nullopt;
  const absl::StatusOr<TreeDigest> there = DigestTree(PathOf(push, version));
  if (!there.ok()) return std::nullopt;
  RK_ASSIGN_OR_RETURN(const TreeDigest ours, DigestTree(push.model));
  if (there->digest != ours.digest) return std::nullopt;
  return version;
}

absl::Status RemoveUnfinished(const VersionPush& push) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(push.folder, error)) {
    const std::string name = entry.path().filename();
    if (absl::StartsWith(name, HiddenPrefix(push))) {
      RK_RETURN_IF_ERROR(RemoveTree(entry.path()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> RenameToNextVersion(const VersionPush& push,
                                            const std::string& hidden) {
  absl::Status renamed;
  for (int i = 0; i < kRenameAttempts; ++i) {
    const int64_t version = NextVersion(VersionsIn(push.folder), push.now());
    RK_RETURN_IF_ERROR(
        WriteFileAtomically(push.note_path, absl::StrCat(version)));
    RK_RETURN_IF_ERROR(push.check_stop());
    renamed = RenameNoReplace(hidden, PathOf(push, version));
    if (renamed.ok()) return version;
    if (!absl::IsAlreadyExists(renamed)) return renamed;
  }
  return renamed;
}

}  // namespace

std::vector<int64_t> VersionsIn(const std::string& folder) {
  std::vector<int64_t> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    int64_t version = 0;
    if (absl::SimpleAtoi(entry.path().filename().string(), &version)) {
      versions.push_back(version);
    }
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

int64_t NextVersion(const std::vector<int64_t>& versions, absl::Time now) {
  const int64_t seconds = absl::ToUnixSeconds(now);
  return versions.empty() ? seconds : std::max(seconds, versions.back() + 1);
}

absl::Status CopyTree(const std::string& from, const std::string& to) {
  RK_RETURN_IF_ERROR(MakeDirs(to));
  std::error_code error;
  fs::copy(from, to, fs::copy_options::recursive, error);
  if (!error) return absl::OkStatus();
  const std::string message =
      absl::StrCat("cannot copy ", from, " to ", to, ": ", error.message());
  if (error == std::errc::no_space_on_device) {
    return WithReason(FailureReason::kDiskFull,
                      absl::ResourceExhaustedError(message));
  }
  return WithReason(FailureReason::kOutputUnwritable,
                    absl::FailedPreconditionError(message));
}

absl::StatusOr<int64_t> PushVersion(const VersionPush& push) {
  RK_RETURN_IF_ERROR(CheckIsModel(push.model));
  RK_ASSIGN_OR_RETURN(const std::optional<int64_t> before,
                      FinishedBefore(push));
  if (before.has_value()) return *before;
  RK_RETURN_IF_ERROR(WithReason(FailureReason::kOutputUnwritable,
                                MakeWritableDir(push.folder)));
  RK_RETURN_IF_ERROR(RemoveUnfinished(push));
  const std::string hidden =
      JoinPath(push.folder, absl::StrCat(HiddenPrefix(push), RandomUuid()));
  RK_RETURN_IF_ERROR(CopyTree(push.model, hidden));
  RK_RETURN_IF_ERROR(SyncTree(hidden));
  absl::StatusOr<int64_t> version = RenameToNextVersion(push, hidden);
  if (!version.ok()) RemoveTree(hidden).IgnoreError();
  return version;
}

}  // namespace rekindle

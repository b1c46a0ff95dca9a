#include "cli/unfinished_file.h"

#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

// What SQLite may put beside a database, and the file itself.
constexpr std::array<const char*, 4> kSuffixes = {"", "-journal", "-wal",
                                                  "-shm"};

// The names to remove, where a signal handler finds them; empty for none.
std::array<std::array<char, PATH_MAX>, kSuffixes.size()> doomed;

void RemoveDoomed() {
  for (auto& name : doomed) {
    if (name[0] != '\0') unlink(name.data());
  }
}

void OnSignal(int signal) {
  constexpr int kSignalled = 128;
  RemoveDoomed();
  _exit(kSignalled + signal);
}

void SetDoomed(const std::string& path) {
  for (size_t i = 0; i < kSuffixes.size(); ++i) {
    const std::string name = path.empty() ? "" : path + kSuffixes[i];
    std::snprintf(doomed[i].data(), doomed[i].size(), "%s", name.c_str());
  }
}

void HandleSignals() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

absl::Status CheckTarget(const std::string& target, bool replace) {
  const std::filesystem::path parent =
      std::filesystem::path(target).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return absl::NotFoundError(
        absl::StrCat("cannot write ", target, ": there is no folder ", folder));
  }
  if (std::filesystem::is_directory(target, ignored)) {
    return absl::AlreadyExistsError(
        absl::StrCat(target, " is a folder; name a file in it"));
  }
  if (replace || !PathExists(target)) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat(target, " is there already; --force replaces it"));
}

}  // namespace

absl::StatusOr<UnfinishedFile> UnfinishedFile::Create(const std::string& target,
                                                      bool replace) {
  RK_RETURN_IF_ERROR(CheckTarget(target, replace));
  return UnfinishedFile(target, replace);
}

UnfinishedFile::UnfinishedFile(std::string target, bool replace)
    : target_(std::move(target)),
      path_(absl::StrCat(target_, ".unfinished-", getpid())),
      replace_(replace) {
  SetDoomed(path_);
  HandleSignals();
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::exchange(other.path_, "")),
      replace_(other.replace_) {}

UnfinishedFile::~UnfinishedFile() {
  if (path_.empty()) return;
  RemoveDoomed();
  SetDoomed("");
}

absl::Status UnfinishedFile::Commit() {
  RK_RETURN_IF_ERROR(SyncTree(path_));
  RK_RETURN_IF_ERROR(replace_ ? RenameReplacing(path_, target_)
                              : RenameNoReplace(path_, target_));
  SetDoomed("");
  path_.clear();
  return absl::OkStatus();
}

}  // namespace rekindle

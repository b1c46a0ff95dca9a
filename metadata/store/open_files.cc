#include "metadata/store/open_files.h"

#include <chrono>

#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

constexpr int64_t kGoodForNanos = 20'000'000;

int64_t SteadyNanos() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

}  // namespace

OpenFiles::OpenFiles(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm"}) {
    File file = {absl::StrCat(path, suffix)};
    struct stat info = {};
    if (stat(file.path.c_str(), &info) != 0) continue;  // without a log
    file.device = info.st_dev;
    file.inode = info.st_ino;
    files_.push_back(std::move(file));
  }
}

absl::Status OpenFiles::Check() const {
  for (const File& file : files_) {
    struct stat info = {};
    const bool there = stat(file.path.c_str(), &info) == 0;
    if (there && info.st_ino == file.inode && info.st_dev == file.device) {
      continue;
    }
    return absl::UnavailableError(absl::StrCat(
        "the metadata database cannot be used any more: ", file.path, " was ",
        there ? "replaced" : "deleted",
        " while it is open; put back the file or restore a backup, then start "
        "this process again"));
  }
  return absl::OkStatus();
}

absl::Status OpenFiles::CheckNowAndThen() const {
  const int64_t now = SteadyNanos();
  if (now < good_until_) return absl::OkStatus();
  RK_RETURN_IF_ERROR(Check());
  good_until_ = now + kGoodForNanos;
  return absl::OkStatus();
}

}  // namespace rekindle

#include "metadata/server/limits/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <utility>

#include <sys/statvfs.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "base/temporary_file.h"

namespace rekindle {
namespace {

// A tenth of a small disk, or this much of a large one, is others'.
constexpr int64_t kLeave = int64_t{1} << 30;

// Whether `bytes` more fit on the disk of `path`.
absl::Status CheckDisk(const std::string& path, int64_t bytes) {
  struct statvfs disk = {};
  if (statvfs(path.c_str(), &disk) != 0) {
    return ErrnoStatus(errno, "ask for the free space of", path);
  }
  const auto block = static_cast<int64_t>(disk.f_frsize);
  const int64_t size = block * static_cast<int64_t>(disk.f_blocks);
  const int64_t free = block * static_cast<int64_t>(disk.f_bavail);
  if (free - bytes >= std::min(kLeave, size / 10)) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the disk of ", std::filesystem::temp_directory_path().string(),
      " has only ", free,
      " bytes left; make room there, or set TMPDIR to another folder"));
}

}  // namespace

int64_t SpoolBudget::taken() const {
  const absl::MutexLock lock(&mutex_);
  return taken_;
}

bool SpoolBudget::TryTake(int64_t bytes) {
  const absl::MutexLock lock(&mutex_);
  if (taken_ + bytes > limits_.all) return false;
  taken_ += bytes;
  return true;
}

void SpoolBudget::GiveBack(int64_t bytes) {
  const absl::MutexLock lock(&mutex_);
  taken_ -= bytes;
}

absl::StatusOr<Spool> Spool::Create(SpoolBudget& budget) {
  RK_ASSIGN_OR_RETURN(TemporaryFile file, TemporaryFile::Create());
  return Spool(budget, std::move(file));
}

Spool::Spool(Spool&& other) noexcept
    : budget_(other.budget_),
      file_(std::move(other.file_)),
      reserved_(std::exchange(other.reserved_, 0)),
      written_(other.written_) {}

Spool::~Spool() { budget_.GiveBack(reserved_); }

absl::Status Spool::Reserve(int64_t bytes) {
  const int64_t more = bytes - reserved_;
  if (more <= 0) return absl::OkStatus();
  if (bytes > budget_.limits().each) {
    return absl::ResourceExhaustedError(
        absl::StrCat("this is more than the ", budget_.limits().each,
                     " bytes that the server puts aside for one stream; start "
                     "it with a larger --max-spool-bytes"));
  }
  RK_RETURN_IF_ERROR(CheckDisk(path(), more));
  if (!budget_.TryTake(more)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "streams have put aside ", budget_.taken(), " bytes already, of ",
        budget_.limits().all, " at most; try again later"));
  }
  reserved_ = bytes;
  return absl::OkStatus();
}

absl::Status Spool::Append(absl::string_view bytes) {
  const int64_t written = written_ + static_cast<int64_t>(bytes.size());
  RK_RETURN_IF_ERROR(Reserve(written));
  RK_RETURN_IF_ERROR(file_.Append(bytes));
  written_ = written;
  return absl::OkStatus();
}

}  // namespace rekindle

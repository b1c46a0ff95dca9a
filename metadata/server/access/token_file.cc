#include "metadata/server/access/token_file.h"

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include <sys/stat.h>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "metadata/server/access/access_list.h"

namespace rekindle {
namespace {

constexpr absl::Duration kReadEvery = absl::Seconds(1);
constexpr off_t kMaxBytes = 4 << 20;

// Whoever may write the file may do everything.
absl::Status CheckFile(const std::string& path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return ErrnoStatus(errno, "read", path);
  if (!S_ISREG(file.st_mode) || file.st_size > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is not a file of at most ", kMaxBytes,
                     " bytes, as a token file is"));
  }
  if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "others than its owner may write the token file '", path,
        "', and with it let themselves in; take that right away with 'chmod "
        "go-w'"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenFile>> TokenFile::Open(
    const std::string& path, const Clock& clock, Say say) {
  auto file = absl::WrapUnique(new TokenFile(path, clock, std::move(say)));
  const absl::MutexLock lock(&file->mutex_);
  RK_RETURN_IF_ERROR(file->Read());
  return file;
}

std::shared_ptr<const AccessList> TokenFile::Current() {
  const absl::MutexLock lock(&mutex_);
  const absl::Duration age = clock_.Now() - read_;
  // A clock that was set back must not keep an old list alive.
  if (age >= kReadEvery || age < absl::ZeroDuration()) ReadAgain();
  return list_;
}

absl::Status TokenFile::state() const {
  const absl::MutexLock lock(&mutex_);
  return state_;
}

absl::Status TokenFile::Read() {
  read_ = clock_.Now();
  RK_RETURN_IF_ERROR(CheckFile(path_));
  RK_ASSIGN_OR_RETURN(std::string text, ReadFile(path_));
  if (list_ != nullptr && text == text_) return absl::OkStatus();
  absl::StatusOr<AccessList> list = AccessList::Parse(text);
  if (!list.ok()) return WithContext(list.status(), path_);
  list_ = std::make_shared<const AccessList>(*std::move(list));
  text_ = std::move(text);
  return absl::OkStatus();
}

void TokenFile::ReadAgain() {
  const absl::Status read = Read();
  if (!read.ok() && read != state_) {
    say_(
        absl::StrCat("the token file cannot be read again; what it said before "
                     "stays in force: ",
                     read.message()));
  }
  state_ = read;
}

}  // namespace rekindle

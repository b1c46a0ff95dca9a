#include "metadata/server/access/audit_log.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

constexpr char kStandardOutput[] = "-";
// How long a call waits for its line.
constexpr absl::Duration kPatience = absl::Milliseconds(100);
constexpr size_t kMostWaitingBytes = 16 << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(
    const std::string& path, Say say) {
  auto log = absl::WrapUnique(new AuditLog(path, std::move(say)));
  RK_RETURN_IF_ERROR(log->OpenFile());
  log->writer_ = std::thread([writes = log.get()] { writes->Run(); });
  return log;
}

AuditLog::~AuditLog() {
  {
    const absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (writer_.joinable()) writer_.join();
  if (fd_ > STDERR_FILENO) close(fd_);
}

void AuditLog::Append(absl::string_view line) { Await(Take(line)); }

void AuditLog::AppendLater(absl::string_view line) { Take(line); }

int64_t AuditLog::Take(absl::string_view line) {
  {
    const absl::MutexLock lock(&mutex_);
    if (waiting_.size() + line.size() <= kMostWaitingBytes) {
      absl::StrAppend(&waiting_, line, "\n");
      ++lines_waiting_;
      return ++appended_;
    }
    ++lost_;
    if (std::exchange(full_, true)) return 0;
  }
  say_(absl::StrCat("the audit log '", path_,
                    "' loses lines: they come faster than they are written"));
  return 0;
}

void AuditLog::Await(int64_t line) {
  const absl::MutexLock lock(&mutex_);
  if (slow_) return;
  const auto written = [this, line]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return done_ >= line;
  };
  slow_ = !mutex_.AwaitWithTimeout(absl::Condition(&written), kPatience);
}

int64_t AuditLog::lost() const {
  const absl::MutexLock lock(&mutex_);
  return lost_;
}

absl::Status AuditLog::OpenFile() {
  if (path_ == kStandardOutput) {
    fd_ = STDOUT_FILENO;
    return absl::OkStatus();
  }
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
             S_IRUSR | S_IWUSR);
  return fd_ < 0 ? ErrnoStatus(errno, "write the audit log", path_)
                 : absl::OkStatus();
}

void AuditLog::Run() {
  const auto has_work = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return stopping_ || !waiting_.empty();
  };
  while (true) {
    std::string lines;
    int64_t count = 0;
    {
      const absl::MutexLock lock(&mutex_, absl::Condition(&has_work));
      if (waiting_.empty()) return;
      lines.swap(waiting_);
      count = std::exchange(lines_waiting_, 0);
    }
    WriteBatch(lines, count);
  }
}

void AuditLog::WriteBatch(const std::string& lines, int64_t count) {
  // Half a line may be there: the next one begins behind it.
  const absl::Status written =
      WriteLines(failing_ ? absl::StrCat("\n", lines) : lines);
  if (!written.ok() && !failing_) {
    say_(absl::StrCat("the audit log '", path_,
                      "' loses lines: ", written.message()));
  }
  failing_ = !written.ok();
  const absl::MutexLock lock(&mutex_);
  if (failing_) lost_ += count;
  done_ += count;
  slow_ = full_ = false;
}

absl::Status AuditLog::WriteLines(const std::string& lines) {
  RK_RETURN_IF_ERROR(ReopenIfMoved());
  return WriteAll(fd_, lines, path_);
}

absl::Status AuditLog::ReopenIfMoved() {
  if (path_ == kStandardOutput) return absl::OkStatus();
  struct stat ours = {};
  struct stat named = {};
  const bool same = fd_ >= 0 && fstat(fd_, &ours) == 0 &&
                    stat(path_.c_str(), &named) == 0 &&
                    ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
  if (same) return absl::OkStatus();
  if (fd_ >= 0) close(fd_);
  return OpenFile();
}

}  // namespace rekindle

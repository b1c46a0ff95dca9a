// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_ACCESS_AUDIT_LOG_H_
#define REKINDLE_METADATA_SERVER_ACCESS_AUDIT_LOG_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace rekindle {

// Lines in a file. What cannot be written is lost, counted, and said once. A
// file that was moved or removed, as programs that rotate logs do, is made anew
// with the next line. Thread-safe.
class AuditLog {
 public:
  // Tells the operator one sentence.
  using Say = std::function<void(absl::string_view)>;

  // Appends to the file at `path`, made if absent and for its owner alone; "-"
  // is the standard output.
  //
  //   NOT_FOUND, PERMISSION_DENIED  it cannot be written
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(const std::string& path,
                                                        Say say);

  // Writes what is left.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Appends `line`, which has no line end, and returns when it is there; but
  // when the disk is slow the caller waits for a moment only.
  void Append(absl::string_view line);
  // The same without waiting.
  void AppendLater(absl::string_view line);

  // How many lines could not be written.
  int64_t lost() const;

 private:
  AuditLog(std::string path, Say say)
      : path_(std::move(path)), say_(std::move(say)) {}

  absl::Status OpenFile();
  // The number of the line; 0 if there is no room for it.
  int64_t Take(absl::string_view line) ABSL_LOCKS_EXCLUDED(mutex_);
  void Await(int64_t line) ABSL_LOCKS_EXCLUDED(mutex_);
  // Of the thread that writes.
  void Run();
  void WriteBatch(const std::string& lines, int64_t count);
  absl::Status WriteLines(const std::string& lines);
  absl::Status ReopenIfMoved();

  const std::string path_;
  const Say say_;
  // The thread's, once it runs.
  int fd_ = -1;
  bool failing_ = false;

  mutable absl::Mutex mutex_;
  std::string waiting_ ABSL_GUARDED_BY(mutex_);
  int64_t lines_waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t appended_ ABSL_GUARDED_BY(mutex_) = 0;  // lines ever taken
  int64_t done_ ABSL_GUARDED_BY(mutex_) = 0;      // of them, written or lost
  int64_t lost_ ABSL_GUARDED_BY(mutex_) = 0;
  // Since the writer was too slow for one line, nobody waits for it.
  bool slow_ ABSL_GUARDED_BY(mutex_) = false;
  bool full_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread writer_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCESS_AUDIT_LOG_H_

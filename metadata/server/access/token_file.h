// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_ACCESS_TOKEN_FILE_H_
#define REKINDLE_METADATA_SERVER_ACCESS_TOKEN_FILE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/server/access/access_list.h"

namespace rekindle {

// An AccessList in a file that may change while the server runs. Thread-safe.
class TokenFile {
 public:
  // Tells the operator one sentence.
  using Say = std::function<void(absl::string_view)>;

  // Reads the file. `clock` is not owned and must outlive this.
  //
  //   INVALID_ARGUMENT              a line that is not understood; not a file,
  //                                 or too large for one
  //   FAILED_PRECONDITION           others than its owner may write it
  //   NOT_FOUND, PERMISSION_DENIED  it cannot be read
  static absl::StatusOr<std::unique_ptr<TokenFile>> Open(
      const std::string& path, const Clock& clock, Say say);

  // What the file says, as of a second ago at most. While it cannot be used
  // anew, for any of the reasons above, what it said before stays in force, and
  // that is said, once per reason.
  std::shared_ptr<const AccessList> Current();

  // Why the file as it is now is not in force; OK if it is.
  absl::Status state() const;

 private:
  TokenFile(std::string path, const Clock& clock, Say say)
      : path_(std::move(path)), clock_(clock), say_(std::move(say)) {}

  absl::Status Read() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReadAgain() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  const Clock& clock_;
  const Say say_;
  mutable absl::Mutex mutex_;
  absl::Time read_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::string text_ ABSL_GUARDED_BY(mutex_);
  absl::Status state_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const AccessList> list_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCESS_TOKEN_FILE_H_

// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_SPOOL_H_
#define REKINDLE_METADATA_SERVER_LIMITS_SPOOL_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/temporary_file.h"

namespace rekindle {

// How much of the disk streams may use for what they put aside: all of them
// together, and each; and how much of it they leave to others. Thread-safe.
class SpoolBudget {
 public:
  struct Limits {
    int64_t all = 0;
    int64_t each = 0;
  };

  explicit SpoolBudget(Limits limits) : limits_(limits) {}

  Limits limits() const { return limits_; }
  int64_t taken() const;

 private:
  friend class Spool;
  bool TryTake(int64_t bytes);
  void GiveBack(int64_t bytes);

  const Limits limits_;
  mutable absl::Mutex mutex_;
  int64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
};

// A file in the folder for temporary files (TMPDIR), within a budget; gone when
// this is destroyed. Thread-compatible.
class Spool {
 public:
  // `budget` is not owned and must outlive the spool.
  static absl::StatusOr<Spool> Create(SpoolBudget& budget);

  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;
  ~Spool();

  const std::string& path() const { return file_.path(); }
  // Nothing is left even if the process is killed.
  void HideName() { file_.HideName(); }

  // Takes room for `bytes` in all, unless it has as much.
  //
  //   RESOURCE_EXHAUSTED  more than a stream may have, or than others leave;
  //                       the disk would be full
  absl::Status Reserve(int64_t bytes);

  // Writes behind what was written so far. Errors as Reserve().
  absl::Status Append(absl::string_view bytes);

 private:
  Spool(SpoolBudget& budget, TemporaryFile file)
      : budget_(budget), file_(std::move(file)) {}

  SpoolBudget& budget_;
  TemporaryFile file_;
  int64_t reserved_ = 0;
  int64_t written_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_SPOOL_H_

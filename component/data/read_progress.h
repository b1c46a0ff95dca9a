#ifndef REKINDLE_COMPONENT_DATA_READ_PROGRESS_H_
#define REKINDLE_COMPONENT_DATA_READ_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace rekindle {

// Counts what has been read of files, and passes it on now and then.
// Thread-compatible.
class ReadProgress {
 public:
  using Callback = std::function<absl::Status(int64_t done, int64_t total)>;

  // The files are read `passes` times. `callback` may be empty.
  ReadProgress(const std::vector<std::string>& files, int passes,
               Callback callback);

  // An item was read, which ends at `offset` of the current file. Returns what
  // the callback says, if it is asked.
  absl::Status Read(int64_t offset) {
    if (++items_ % kItemsBetweenCalls != 0) return absl::OkStatus();
    return Report(offset);
  }

  // The current file was read to its end, which is at `offset`.
  void EndFile(int64_t offset) { before_ += offset; }

  int64_t items() const { return items_; }

 private:
  static constexpr int64_t kItemsBetweenCalls = 8192;

  absl::Status Report(int64_t offset) const;

  const Callback callback_;
  int64_t total_ = 0;
  int64_t before_ = 0;  // bytes of the files before the current one
  int64_t items_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_READ_PROGRESS_H_

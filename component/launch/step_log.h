#ifndef REKINDLE_COMPONENT_LAUNCH_STEP_LOG_H_
#define REKINDLE_COMPONENT_LAUNCH_STEP_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <string>

#include "absl/strings/string_view.h"

namespace rekindle {

// How much of a log is kept with an execution that failed.
inline constexpr size_t kLogTailBytes = 2000;

// The last lines that went by, as many as fit.
class LogTail {
 public:
  explicit LogTail(size_t most_bytes) : most_bytes_(most_bytes) {}

  void Add(absl::string_view line);

  // Lines with their ends, oldest first, valid UTF-8; at most `most_bytes`.
  std::string Text() const;

 private:
  const size_t most_bytes_;
  std::deque<std::string> lines_;
  size_t bytes_ = 0;
};

// The log of an execution: a file that every attempt appends to. One that grows
// too large becomes `log.1.txt`, in place of the one before, and a new one
// begins with a note: a child that never stops talking keeps at most twice the
// limit. A log that cannot be written is no reason to fail. Thread-compatible.
class StepLog {
 public:
  StepLog(const std::string& execution_dir, uintmax_t most_bytes = 64 << 20);

  const std::string& path() const { return path_; }
  void Add(absl::string_view line);

 private:
  void Rotate();

  const std::string path_;
  const std::string older_path_;
  const uintmax_t most_bytes_;
  uintmax_t bytes_ = 0;
  std::ofstream file_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_STEP_LOG_H_

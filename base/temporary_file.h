#ifndef REKINDLE_BASE_TEMPORARY_FILE_H_
#define REKINDLE_BASE_TEMPORARY_FILE_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// An empty file in the folder for temporary files (TMPDIR), gone when this is
// destroyed. Thread-compatible.
class TemporaryFile {
 public:
  // The error names the folder.
  static absl::StatusOr<TemporaryFile> Create();

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return path_; }

  // Takes its name away: path() then works in this process only, and nothing is
  // left even if the process is killed.
  void HideName();

  // Writes behind what was written so far.
  //
  //   RESOURCE_EXHAUSTED  the disk is full
  absl::Status Append(absl::string_view bytes);

 private:
  TemporaryFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  int fd_;
  std::string path_;
  bool hidden_ = false;
};

}  // namespace rekindle

#endif  // REKINDLE_BASE_TEMPORARY_FILE_H_

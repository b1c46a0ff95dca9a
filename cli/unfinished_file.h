#ifndef REKINDLE_CLI_UNFINISHED_FILE_H_
#define REKINDLE_CLI_UNFINISHED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rekindle {

// A file that becomes visible under its name only when it is complete. Until
// then it has another name beside it, and it vanishes when this is destroyed
// or the process gets SIGINT or SIGTERM, which end it with 128 plus the signal.
// One at a time in a process. Thread-compatible.
class UnfinishedFile {
 public:
  // `replace`: whether a file at `target` may be there, and is replaced at the
  // end.
  //
  //   ALREADY_EXISTS  something is at `target`, and may not be replaced
  //   NOT_FOUND       there is no folder for it
  static absl::StatusOr<UnfinishedFile> Create(const std::string& target,
                                               bool replace);

  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  // Where to write it. Nothing is there yet.
  const std::string& path() const { return path_; }

  // Flushes it to the disk and gives it its name.
  //
  //   ALREADY_EXISTS  something came to be at the target meanwhile
  absl::Status Commit();

 private:
  UnfinishedFile(std::string target, bool replace);

  std::string target_;
  std::string path_;  // empty once it has its name
  bool replace_;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_UNFINISHED_FILE_H_

#ifndef REKINDLE_COMPONENT_DATA_RECORD_FILES_H_
#define REKINDLE_COMPONENT_DATA_RECORD_FILES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Gzip TFRecord files that are written side by side, and compressed by several
// threads. A file is cut into blocks; each is compressed alone, at zlib's
// default level, and together they are one gzip stream. The same records give
// the same bytes, however many threads there are. Thread-compatible.
class RecordFiles {
 public:
  // Creates or empties the files. `threads` is 1 or more.
  //
  //   NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED  one cannot be made
  static absl::StatusOr<std::unique_ptr<RecordFiles>> Open(
      const std::vector<std::string>& paths, size_t threads);
  // Without Close() the files are cut short.
  ~RecordFiles();

  // Appends a record to the file of that index. Waits while the threads have
  // enough to do.
  //
  //   RESOURCE_EXHAUSTED, UNAVAILABLE  a file could not be written, maybe
  //                                    another or earlier one
  absl::Status Write(size_t file, absl::string_view record);

  // Writes what is left. Must be the last call. Does not wait for the disk:
  // whoever publishes the files does. Errors as Write().
  absl::Status Close();

 private:
  class File;
  class Pool;

  RecordFiles();
  absl::Status Submit(size_t file, bool last);

  std::vector<std::unique_ptr<File>> files_;
  std::vector<std::string> blocks_;  // by file: what is not submitted yet
  std::unique_ptr<Pool> pool_;       // uses the files, so it goes first
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_RECORD_FILES_H_

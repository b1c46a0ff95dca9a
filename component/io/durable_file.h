#ifndef REKINDLE_COMPONENT_IO_DURABLE_FILE_H_
#define REKINDLE_COMPONENT_IO_DURABLE_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rekindle {

// Waits until the file or folder at `path` is on the disk.
//
//   UNAVAILABLE  it cannot be opened or flushed
absl::Status SyncFile(const std::string& path);

// Replaces the file at `path` with `bytes`: a reader sees the old file or the
// whole new one, also after a power loss.
//
//   UNAVAILABLE  the folder is missing, full or not writable
absl::Status WriteFileAtomically(const std::string& path,
                                 std::string_view bytes);

// The bytes of the file at `path`.
//
//   NOT_FOUND    there is no such file
//   UNAVAILABLE  it cannot be read
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Creates the folder at `path` and those above it, where absent.
//
//   UNAVAILABLE  it cannot be created
absl::Status MakeFolder(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_DURABLE_FILE_H_

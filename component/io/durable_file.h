#ifndef REKINDLE_COMPONENT_IO_DURABLE_FILE_H_
#define REKINDLE_COMPONENT_IO_DURABLE_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace rekindle {

// Waits until the file or folder at `path` is on the disk.
//
//   UNAVAILABLE  it cannot be opened or flushed
absl::Status SyncFile(const std::string& path);

// Creates the folder at `path` and those above it, where absent.
//
//   UNAVAILABLE  it cannot be created
absl::Status MakeFolder(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_DURABLE_FILE_H_

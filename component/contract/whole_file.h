#ifndef REKINDLE_COMPONENT_CONTRACT_WHOLE_FILE_H_
#define REKINDLE_COMPONENT_CONTRACT_WHOLE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// The bytes of the file at `path`.
//
//   NOT_FOUND    there is no such file
//   UNAVAILABLE  it cannot be read
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

// Replaces the file at `path` with `bytes`, atomically and durably: a reader
// sees the old file or the whole new one, also after a power loss.
//
//   UNAVAILABLE  the folder is missing, full or not writable
absl::Status ReplaceFile(const std::string& path, absl::string_view bytes);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONTRACT_WHOLE_FILE_H_

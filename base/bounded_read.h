#ifndef REKINDLE_BASE_BOUNDED_READ_H_
#define REKINDLE_BASE_BOUNDED_READ_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Reading what somebody else has put there: never waits for the other end of a
// pipe, and never takes more memory than it was told.

// "a named pipe", "a device", "a socket", ...: what is at `path`, for messages.
// Links are followed.
std::string DescribeFileKind(const std::string& path);

// All of the regular file at `path`.
//
//   NOT_FOUND            there is nothing
//   FAILED_PRECONDITION  it is no regular file
//   RESOURCE_EXHAUSTED   it has over `most` bytes
absl::StatusOr<std::string> ReadRegularFile(const std::string& path,
                                            size_t most);

// The first `most` bytes of it, or the last; fewer if it has fewer.
//
//   NOT_FOUND, FAILED_PRECONDITION  as above
absl::StatusOr<std::string> ReadFileStart(const std::string& path, size_t most);
absl::StatusOr<std::string> ReadFileEnd(const std::string& path, size_t most);

}  // namespace rekindle

#endif  // REKINDLE_BASE_BOUNDED_READ_H_

#ifndef REKINDLE_OPERATOR_PODS_FILE_COPY_H_
#define REKINDLE_OPERATOR_PODS_FILE_COPY_H_

#include <string>

#include "absl/status/status.h"

namespace rekindle::argo {

// Whether all that is at and below `path` is a file, a folder or a link: what
// waits for somebody else, or never ends, cannot be kept.
//
//   FAILED_PRECONDITION  something is a pipe, a socket or a device; the message
//                        says what
absl::Status CheckCopyable(const std::string& path);

// Copies a file or folder to a place where nothing is; parents are made.
// Symbolic links stay links.
//
//   NOT_FOUND            there is no `from`
//   FAILED_PRECONDITION  as CheckCopyable()
//   RESOURCE_EXHAUSTED   the disk is full
absl::Status CopyTree(const std::string& from, const std::string& to);

// The same, and `from` is gone; a rename where that is possible.
absl::Status MoveTree(const std::string& from, const std::string& to);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_FILE_COPY_H_

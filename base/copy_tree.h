#ifndef REKINDLE_BASE_COPY_TREE_H_
#define REKINDLE_BASE_COPY_TREE_H_

#include <string>

#include "absl/status/status.h"

namespace rekindle {

// Whether all that is at and below `path` is a file, a folder or a link: what
// waits for somebody else, or never ends, cannot be kept.
//
//   FAILED_PRECONDITION  something is a pipe, a socket or a device; the message
//                        says what
absl::Status CheckPlainTree(const std::string& path);

// Copies a file or folder to a place where nothing is; parents are made.
// Symbolic links stay links.
//
//   NOT_FOUND            there is no `from`
//   FAILED_PRECONDITION  as CheckPlainTree()
//   RESOURCE_EXHAUSTED   the disk is full
absl::Status CopyPlainTree(const std::string& from, const std::string& to);

// The same, and `from` is gone; a rename where that is possible.
absl::Status MovePlainTree(const std::string& from, const std::string& to);

}  // namespace rekindle

#endif  // REKINDLE_BASE_COPY_TREE_H_

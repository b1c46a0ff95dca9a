#ifndef REKINDLE_BASE_FILE_UTIL_H_
#define REKINDLE_BASE_FILE_UTIL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Paths are POSIX paths; an error names the path and what was tried.

bool PathExists(const std::string& path);

// Whether there is a folder at `path` with nothing in it.
bool IsEmptyFolder(const std::string& path);

// `a` and `b` with exactly one slash between them.
std::string JoinPath(absl::string_view a, absl::string_view b);

// Makes `path` and its missing parents. An existing folder is fine.
absl::Status MakeDirs(const std::string& path);

// As MakeDirs, and then tries that files can be made in it, and folders
// renamed.
//
//   PERMISSION_DENIED    it exists and cannot be written
//   FAILED_PRECONDITION  something that is not a folder is in the way; its file
//                        system cannot rename folders
absl::Status MakeWritableDir(const std::string& path);

absl::StatusOr<std::string> ReadFile(const std::string& path);

// Writes all of `bytes` to an open file; `path` is for the message.
//
//   RESOURCE_EXHAUSTED  the disk is full
absl::Status WriteAll(int fd, absl::string_view bytes, const std::string& path);

// Replaces the file at `path` with `content`, so that a reader, or a power
// failure, sees the old file or the new one whole.
absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view content);

// Flushes every file and folder at and below `path` to the disk.
//
//   FAILED_PRECONDITION  something there is neither a file nor a folder nor a
//                        link
absl::Status SyncTree(const std::string& path);

// Renames, and flushes the parent folder of `to`. Never replaces.
//
//   ALREADY_EXISTS  something is at `to`
absl::Status RenameNoReplace(const std::string& from, const std::string& to);

// The same, but replaces a file at `to`.
absl::Status RenameReplacing(const std::string& from, const std::string& to);

// Removes `path` and everything below it; nothing there is fine.
absl::Status RemoveTree(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_BASE_FILE_UTIL_H_

// Internal to base/file_util.
#ifndef REKINDLE_BASE_RENAME_H_
#define REKINDLE_BASE_RENAME_H_

#include <string>

namespace rekindle {

// Renames and never replaces, also on file systems that do not know
// RENAME_NOREPLACE: network file systems, mostly. Returns 0 or an errno; EEXIST
// if something is at `to`, or somebody is about to put something there.
int TryRenameNoReplace(const std::string& from, const std::string& to);

}  // namespace rekindle

#endif  // REKINDLE_BASE_RENAME_H_

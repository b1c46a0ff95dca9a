#ifndef REKINDLE_COMPONENT_STEPS_SERVING_FOLDER_H_
#define REKINDLE_COMPONENT_STEPS_SERVING_FOLDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace rekindle {

// A folder that TensorFlow Serving watches: every version of a model is a
// folder in it whose name is a number, and the highest one is served. Other
// names are passed over.

// The versions that are there, ascending; none if there is no such folder.
std::vector<int64_t> VersionsIn(const std::string& folder);

// A version higher than all of `versions`: the time in seconds, if it is.
int64_t NextVersion(const std::vector<int64_t>& versions, absl::Time now);

// One model on its way into such a folder.
struct VersionPush {
  std::string model;   // the SavedModel to copy
  std::string folder;  // is made if it is not there
  // Where the version is noted before it appears, so that a retry knows it.
  std::string note_path;
  // Tells this push from all others; the same for a retry. A part of a name.
  std::string name;
  // Not OK: stop before anything appears.
  std::function<absl::Status()> check_stop = [] { return absl::OkStatus(); };
  std::function<absl::Time()> now = absl::Now;
};

// Copies the model below a hidden name, flushes it and renames it: a version
// appears whole or not at all, above all that were there, and is never
// replaced. What an earlier attempt copied is removed; if it had finished, its
// version is the answer. Returns the version.
//
//   NOT_FOUND           there is no SavedModel
//   PERMISSION_DENIED, FAILED_PRECONDITION
//                       the folder cannot be written
//   RESOURCE_EXHAUSTED  the disk is full
//   what check_stop returns
absl::StatusOr<int64_t> PushVersion(const VersionPush& push);

// Copies all files and folders in `from`, which may be links, into `to`, which
// is made.
//
//   RESOURCE_EXHAUSTED  the disk is full
absl::Status CopyTree(const std::string& from, const std::string& to);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_SERVING_FOLDER_H_

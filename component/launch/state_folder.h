#ifndef REKINDLE_COMPONENT_LAUNCH_STATE_FOLDER_H_
#define REKINDLE_COMPONENT_LAUNCH_STATE_FOLDER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace rekindle {

// Hands what earlier attempts left in an execution's state folder to the
// attempt with this token, and returns where it is: `<state_dir>/<token>`.
// Taking it over is a rename: an attempt that lost its claim and does not know
// it yet finds nothing any more where it wrote, and cannot disturb its
// successor.
absl::StatusOr<std::string> AdoptState(const std::string& state_dir,
                                       int64_t token);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_STATE_FOLDER_H_

#ifndef REKINDLE_COMPONENT_LAUNCH_TERMINATION_LOG_H_
#define REKINDLE_COMPONENT_LAUNCH_TERMINATION_LOG_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"

namespace rekindle {

// Kubernetes reads no more of a container's termination message, and Argo shows
// it as the message of the node.
inline constexpr size_t kMostTerminationBytes = 4096;

// One line, "OUT_OF_MEMORY: the trainer was killed ...", of at most that size.
// `error` must not be OK.
std::string TerminationMessage(const absl::Status& error);

// Writes that line to the file at `path`, which is made if need be, in one
// piece. An empty path stands for the container's own file, if there is one. A
// message that cannot be written is no reason to fail.
void WriteTerminationLog(const std::string& path, const absl::Status& error);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_TERMINATION_LOG_H_

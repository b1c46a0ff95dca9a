// Internal to operator/pods.
#ifndef REKINDLE_OPERATOR_PODS_BENEATH_H_
#define REKINDLE_OPERATOR_PODS_BENEATH_H_

#include <string>

#include "absl/status/statusor.h"

namespace rekindle::argo {

// `path` is `folder` or in it.
bool IsBelow(const std::string& path, const std::string& folder);

// Where `relative` is below `folder`, without links. It need not exist.
//
//   FAILED_PRECONDITION  it leads out of the folder, through a link or '..'
absl::StatusOr<std::string> ResolveBeneath(const std::string& folder,
                                           const std::string& relative);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_BENEATH_H_

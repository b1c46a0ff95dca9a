#ifndef REKINDLE_OPERATOR_ENGINE_ARGO_DURATION_H_
#define REKINDLE_OPERATOR_ENGINE_ARGO_DURATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rekindle::argo {

// A span of time as workflows write it: "20" is seconds, else "1m30s".
//
//   INVALID_ARGUMENT  it is neither
absl::StatusOr<absl::Duration> ParseArgoDuration(const std::string& text);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_ENGINE_ARGO_DURATION_H_

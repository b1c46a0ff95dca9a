#ifndef REKINDLE_OPERATOR_LOCAL_DURATION_TEXT_H_
#define REKINDLE_OPERATOR_LOCAL_DURATION_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rekindle::argo {

// A span of time as workflows write it: "20" is seconds, else "1m30s".
//
//   INVALID_ARGUMENT  it is neither
absl::StatusOr<absl::Duration> ParseArgoDuration(const std::string& text);

// A span of time as a person reads it: "0.3s", "12s", "3m05s", "2h10m".
std::string ShortDuration(absl::Duration duration);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_DURATION_TEXT_H_

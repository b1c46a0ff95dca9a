#ifndef REKINDLE_OPERATOR_VIEW_DURATION_TEXT_H_
#define REKINDLE_OPERATOR_VIEW_DURATION_TEXT_H_

#include <string>

#include "absl/time/time.h"

namespace rekindle::argo {

// A span of time as a person reads it: "40ms", "3s", "3.2s", "12s", "1m05s",
// "2h03m". A negative one, which clocks that differ give, is "0s".
std::string DurationText(absl::Duration duration);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_VIEW_DURATION_TEXT_H_

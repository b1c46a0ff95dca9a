#ifndef REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_GO_TIME_H_
#define REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_GO_TIME_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

// Times in Go's way of writing a format: "2006-01-02 15:04:05". In UTC.
namespace rekindle::argo {

// As strftime's format, "2006-01-02" becomes "%Y-%m-%d".
std::string LayoutToFormat(absl::string_view layout);

std::string FormatGoTime(absl::string_view layout, absl::Time time);

//   INVALID_ARGUMENT  `text` is not written as `layout` says
absl::StatusOr<absl::Time> ParseGoTime(absl::string_view layout,
                                       absl::string_view text);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_GO_TIME_H_

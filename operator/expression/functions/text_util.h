#ifndef REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_TEXT_UTIL_H_
#define REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_TEXT_UTIL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "operator/expression/value.h"

// Strings as Go's package of that name treats them.
namespace rekindle::argo {

// Blanks of ASCII; Go's other white space is rare in workflows.
std::string TrimSpace(absl::string_view text);
// Without those of its first and last characters that `set` has.
std::string TrimSet(absl::string_view text, absl::string_view set);
// Letters of ASCII only.
std::string ToUpper(absl::string_view text);
std::string ToLower(absl::string_view text);
// At most `most` parts when it is not negative; an empty separator splits into
// characters. `keep` leaves the separator at the end of each part.
std::vector<std::string> SplitText(absl::string_view text,
                                   absl::string_view separator, int64_t most,
                                   bool keep);
// The first `most` occurrences, all when it is negative.
std::string ReplaceText(absl::string_view text, absl::string_view from,
                        absl::string_view to, int64_t most);
//   INVALID_ARGUMENT  a negative count, or a result over a megabyte
absl::StatusOr<Value> RepeatText(absl::string_view text, int64_t count);
// The characters (code points) of a text.
std::vector<std::string> Characters(absl::string_view text);
Value ToList(const std::vector<std::string>& texts);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_TEXT_UTIL_H_

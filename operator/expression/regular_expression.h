#ifndef REKINDLE_OPERATOR_EXPRESSION_REGULAR_EXPRESSION_H_
#define REKINDLE_OPERATOR_EXPRESSION_REGULAR_EXPRESSION_H_

#include <string>

#include "absl/status/statusor.h"
#include "operator/expression/value.h"

// Regular expressions as Go's: RE2, in time linear in the text. Each call
//
//   INVALID_ARGUMENT  `pattern` is no regular expression
namespace rekindle::argo {

// Whether a part of `text` matches.
absl::StatusOr<Value> RegexMatch(const std::string& pattern,
                                 const std::string& text);
// The first match, "" when there is none.
absl::StatusOr<Value> RegexFind(const std::string& pattern,
                                const std::string& text);
// ${1} in `replacement` is the first group.
absl::StatusOr<Value> RegexReplaceAll(const std::string& pattern,
                                      const std::string& text,
                                      const std::string& replacement);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_REGULAR_EXPRESSION_H_

#ifndef REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_FUNCTIONS_H_
#define REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_FUNCTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/expression/value.h"

namespace rekindle::argo {

// The functions an expression may call: expr-lang's, Argo's (asInt, toJson,
// jsonpath) and sprig's under "sprig.". Those that evaluate a predicate for
// each item (filter, map) belong to the evaluator, only their names are here.
bool IsFunction(const std::string& name);
bool TakesPredicate(const std::string& name);
std::vector<std::string> FunctionNames();
// How many arguments it takes, at least and at most.
std::pair<size_t, size_t> ArgumentCount(const std::string& name);

// Calls a function that takes no predicate.
//
//   INVALID_ARGUMENT  an argument of a wrong kind or value
absl::StatusOr<Value> CallFunction(const std::string& name,
                                   const Value::List& arguments);

// The methods of times and durations: t.Format("2006-01-02"), d.Hours().
bool IsMethod(const std::string& name);
absl::StatusOr<Value> CallMethod(const Value& base, const std::string& name,
                                 const Value::List& arguments);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_FUNCTIONS_FUNCTIONS_H_

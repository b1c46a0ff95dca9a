#ifndef REKINDLE_OPERATOR_EXPRESSION_ORDERING_H_
#define REKINDLE_OPERATOR_EXPRESSION_ORDERING_H_

#include "absl/status/statusor.h"
#include "operator/expression/value.h"

namespace rekindle::argo {

// Whether `a` comes before `b`: numbers by size, strings by bytes, times and
// durations by length.
//
//   INVALID_ARGUMENT  kinds that have no order
absl::StatusOr<bool> IsLess(const Value& a, const Value& b);

// Sorts by IsLess(), stable; backwards when `descending`. `keys[i]` belongs to
// `items[i]`.
absl::StatusOr<Value::List> SortByKeys(const Value::List& items,
                                       const Value::List& keys,
                                       bool descending);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_ORDERING_H_

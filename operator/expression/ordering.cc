#include "operator/expression/ordering.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace rekindle::argo {

absl::StatusOr<bool> IsLess(const Value& a, const Value& b) {
  if (a.as_int() != nullptr && b.as_int() != nullptr) {
    return *a.as_int() < *b.as_int();
  }
  if (a.is_number() && b.is_number()) return a.number() < b.number();
  if (a.as_string() != nullptr && b.as_string() != nullptr) {
    return *a.as_string() < *b.as_string();
  }
  if (a.as_time() != nullptr && b.as_time() != nullptr) {
    return *a.as_time() < *b.as_time();
  }
  if (a.as_duration() != nullptr && b.as_duration() != nullptr) {
    return *a.as_duration() < *b.as_duration();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(a.kind(), " and ", b.kind(), " have no order"));
}

absl::StatusOr<Value::List> SortByKeys(const Value::List& items,
                                       const Value::List& keys,
                                       bool descending) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  // All pairs with the first key decide whether there is an order at all, so
  // that the comparison below cannot fail half way.
  for (size_t i = 0; i < keys.size(); ++i) {
    if (auto less = IsLess(keys[0], keys[i]); !less.ok()) return less.status();
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return descending ? IsLess(keys[b], keys[a]).value_or(false)
                      : IsLess(keys[a], keys[b]).value_or(false);
  });
  Value::List sorted;
  for (const size_t at : order) sorted.push_back(items[at]);
  return sorted;
}

}  // namespace rekindle::argo

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/expression/evaluator.h"
#include "operator/expression/ordering.h"
#include "operator/expression/regular_expression.h"

namespace rekindle::argo {
namespace {

absl::Status Mismatch(const std::string& symbol, const Value& left,
                      const Value& right) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", symbol, "' cannot join ", left.kind(), " and ", right.kind()));
}

// Whole numbers wrap, as Go's do.
absl::StatusOr<Value> ApplyWhole(const std::string& symbol, int64_t left,
                                 int64_t right) {
  const auto a = static_cast<uint64_t>(left);
  const auto b = static_cast<uint64_t>(right);
  if (symbol == "+") return Value(static_cast<int64_t>(a + b));
  if (symbol == "-") return Value(static_cast<int64_t>(a - b));
  if (symbol == "*") return Value(static_cast<int64_t>(a * b));
  if (right == 0) return absl::InvalidArgumentError("a division by zero");
  return Value(right == -1 ? int64_t{0} : left % right);
}

absl::StatusOr<Value> ApplyNumbers(const std::string& symbol, const Value& left,
                                   const Value& right) {
  const double a = left.number();
  const double b = right.number();
  if (symbol == "/") return Value(a / b);
  if (symbol == "**" || symbol == "^") return Value(std::pow(a, b));
  if (left.as_int() != nullptr && right.as_int() != nullptr) {
    return ApplyWhole(symbol, *left.as_int(), *right.as_int());
  }
  if (symbol == "+") return Value(a + b);
  if (symbol == "-") return Value(a - b);
  if (symbol == "*") return Value(a * b);
  return Mismatch(symbol, left, right);
}

absl::StatusOr<Value> ApplyTimes(const std::string& symbol, const Value& left,
                                 const Value& right) {
  const absl::Duration* span = right.as_duration();
  if (const absl::Time* time = left.as_time()) {
    if (symbol == "+" && span != nullptr) return Value(*time + *span);
    if (symbol == "-" && span != nullptr) return Value(*time - *span);
    if (symbol == "-" && right.as_time() != nullptr) {
      return Value(*time - *right.as_time());
    }
  } else if (const absl::Duration* first = left.as_duration()) {
    if (symbol == "+" && span != nullptr) return Value(*first + *span);
    if (symbol == "-" && span != nullptr) return Value(*first - *span);
    if (symbol == "+" && right.as_time() != nullptr) {
      return Value(*right.as_time() + *first);
    }
  }
  return Mismatch(symbol, left, right);
}

absl::StatusOr<Value> ApplyArithmetic(const std::string& symbol,
                                      const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) {
    return ApplyNumbers(symbol, left, right);
  }
  if (symbol == "+" && left.as_string() != nullptr &&
      right.as_string() != nullptr) {
    return Value(absl::StrCat(*left.as_string(), *right.as_string()));
  }
  return ApplyTimes(symbol, left, right);
}

absl::StatusOr<Value> ApplyText(const std::string& symbol, const Value& left,
                                const Value& right) {
  const std::string* text = left.as_string();
  const std::string* part = right.as_string();
  if (text == nullptr || part == nullptr) return Mismatch(symbol, left, right);
  if (symbol == "contains") return Value(absl::StrContains(*text, *part));
  if (symbol == "startsWith") return Value(absl::StartsWith(*text, *part));
  if (symbol == "endsWith") return Value(absl::EndsWith(*text, *part));
  return RegexMatch(*part, *text);
}

absl::StatusOr<Value> ApplyIn(const Value& left, const Value& right) {
  if (const Value::List* list = right.as_list()) {
    return Value(std::find(list->begin(), list->end(), left) != list->end());
  }
  if (const Value::Map* map = right.as_map()) {
    return Value(left.as_string() != nullptr &&
                 map->contains(*left.as_string()));
  }
  if (right.is_nil()) return Value(false);
  return Mismatch("in", left, right);
}

absl::StatusOr<Value> ApplyRange(const Value& left, const Value& right) {
  static constexpr int64_t kMost = 1'000'000;
  if (left.as_int() == nullptr || right.as_int() == nullptr) {
    return Mismatch("..", left, right);
  }
  Value::List list;
  for (int64_t i = *left.as_int(); i <= *right.as_int(); ++i) {
    if (static_cast<int64_t>(list.size()) == kMost) {
      return absl::InvalidArgumentError("a range of over a million numbers");
    }
    list.emplace_back(i);
  }
  return Value(std::move(list));
}

absl::StatusOr<Value> ApplyOrder(const std::string& symbol, const Value& left,
                                 const Value& right) {
  const bool swapped = symbol == ">" || symbol == "<=";
  const bool negated = symbol == ">=" || symbol == "<=";
  RK_ASSIGN_OR_RETURN(const bool less,
                      swapped ? IsLess(right, left) : IsLess(left, right));
  if (left.is_number() && std::isnan(left.number() + right.number()) &&
      left.number() != right.number()) {
    return Value(false);
  }
  return Value(less != negated);
}

}  // namespace

absl::StatusOr<Value> ApplyBinary(const std::string& symbol, const Value& left,
                                  const Value& right) {
  if (symbol == "==") return Value(left == right);
  if (symbol == "!=") return Value(!(left == right));
  if (symbol == "in") return ApplyIn(left, right);
  if (symbol == "..") return ApplyRange(left, right);
  if (symbol[0] == '<' || symbol[0] == '>') {
    return ApplyOrder(symbol, left, right);
  }
  if (symbol == "matches" || symbol == "contains" || symbol == "startsWith" ||
      symbol == "endsWith") {
    return ApplyText(symbol, left, right);
  }
  return ApplyArithmetic(symbol, left, right);
}

}  // namespace rekindle::argo

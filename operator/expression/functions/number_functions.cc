#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/expression/functions/function_table.h"

// expr-lang's functions on numbers.
namespace rekindle::argo {
namespace {

using Args = Value::List;

absl::StatusOr<Value> ToInt(const Args& args) {
  const Value& value = args[0];
  if (value.as_int() != nullptr) return value;
  if (const double* number = value.as_float()) {
    if (!(std::fabs(*number) < 9.2e18)) {
      return absl::InvalidArgumentError(
          absl::StrCat(FloatText(*number), " is no whole number"));
    }
    return Value(static_cast<int64_t>(*number));
  }
  int64_t whole = 0;
  const std::string* text = value.as_string();
  // absl takes blanks around a number, Go does not.
  if (text == nullptr || text->find_first_of(" \t\n\r\v\f") != text->npos ||
      !absl::SimpleAtoi(*text, &whole)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", ToText(value), "' is no whole number"));
  }
  return Value(whole);
}

absl::StatusOr<Value> ToFloat(const Args& args) {
  const Value& value = args[0];
  if (value.is_number()) return Value(value.number());
  double number = 0;
  const std::string* text = value.as_string();
  if (text == nullptr || text->find_first_of(" \t\n\r\v\f") != text->npos ||
      !absl::SimpleAtod(*text, &number)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", ToText(value), "' is no number"));
  }
  return Value(number);
}

Value Abs(const Args& args) {
  if (const int64_t* whole = args[0].as_int()) {
    return Value(*whole < 0
                     ? static_cast<int64_t>(0 - static_cast<uint64_t>(*whole))
                     : *whole);
  }
  const double number = args[0].number();
  return Value(number < 0 ? -number : number);  // -0 stays what it is
}

// The numbers among the arguments and inside lists of them.
absl::Status Collect(const Args& args, std::vector<Value>* numbers) {
  for (const Value& arg : args) {
    if (const Value::List* list = arg.as_list()) {
      RK_RETURN_IF_ERROR(Collect(*list, numbers));
    } else if (arg.is_number()) {
      numbers->push_back(arg);
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("a number is needed, not ", arg.kind()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Extreme(const Args& args, bool greatest) {
  std::vector<Value> numbers;
  RK_RETURN_IF_ERROR(Collect(args, &numbers));
  Value best;
  for (const Value& number : numbers) {
    const bool better = greatest ? number.number() > best.number()
                                 : number.number() < best.number();
    if (best.is_nil() || better) best = number;
  }
  return best;
}

absl::StatusOr<Value> Mean(const Args& args) {
  std::vector<Value> numbers;
  RK_RETURN_IF_ERROR(Collect(args, &numbers));
  double sum = 0;
  for (const Value& number : numbers) sum += number.number();
  return Value(numbers.empty() ? 0.0
                               : sum / static_cast<double>(numbers.size()));
}

absl::StatusOr<Value> Median(const Args& args) {
  std::vector<Value> numbers;
  RK_RETURN_IF_ERROR(Collect(args, &numbers));
  if (numbers.empty()) return Value(0.0);
  std::vector<double> sorted;
  for (const Value& number : numbers) sorted.push_back(number.number());
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  return Value(sorted.size() % 2 == 1
                   ? sorted[middle]
                   : (sorted[middle - 1] + sorted[middle]) / 2);
}

absl::StatusOr<Value> Shift(const Args& args, const std::string& direction) {
  const int64_t value = *args[0].as_int();
  const int64_t by = *args[1].as_int();
  if (by < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", direction, "' cannot shift by ", by));
  }
  const bool far = by > 63;
  if (direction == "bitshl") {
    return Value(
        far ? int64_t{0}
            : static_cast<int64_t>(static_cast<uint64_t>(value) << by));
  }
  if (direction == "bitushr") {
    return Value(
        far ? int64_t{0}
            : static_cast<int64_t>(static_cast<uint64_t>(value) >> by));
  }
  return Value(value >> std::min<int64_t>(by, 63));
}

}  // namespace

void AddNumberFunctions(FunctionTable* table) {
  FunctionTable& add = *table;
  for (const char* name : {"int", "asInt"}) add[name] = {"a", ToInt};
  for (const char* name : {"float", "asFloat"}) add[name] = {"a", ToFloat};
  add["abs"] = {"n", Abs};
  add["ceil"] = {"n", [](const Args& a) { return std::ceil(a[0].number()); }};
  add["floor"] = {"n", [](const Args& a) { return std::floor(a[0].number()); }};
  add["round"] = {"n", [](const Args& a) { return std::round(a[0].number()); }};
  add["max"] = {"a*", [](const Args& a) { return Extreme(a, true); }};
  add["min"] = {"a*", [](const Args& a) { return Extreme(a, false); }};
  add["mean"] = {"a*", Mean};
  add["median"] = {"a*", Median};
  add["bitand"] = {
      "ii", [](const Args& a) { return *a[0].as_int() & *a[1].as_int(); }};
  add["bitor"] = {
      "ii", [](const Args& a) { return *a[0].as_int() | *a[1].as_int(); }};
  add["bitxor"] = {
      "ii", [](const Args& a) { return *a[0].as_int() ^ *a[1].as_int(); }};
  add["bitnand"] = {
      "ii", [](const Args& a) { return *a[0].as_int() & ~*a[1].as_int(); }};
  add["bitnot"] = {"i", [](const Args& a) { return ~*a[0].as_int(); }};
  for (const char* name : {"bitshl", "bitshr", "bitushr"}) {
    add[name] = {"ii", [name](const Args& a) { return Shift(a, name); }};
  }
}

}  // namespace rekindle::argo

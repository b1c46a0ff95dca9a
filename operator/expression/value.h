#ifndef REKINDLE_OPERATOR_EXPRESSION_VALUE_H_
#define REKINDLE_OPERATOR_EXPRESSION_VALUE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace rekindle::argo {

// What an expression reads and gives: nothing, a bool, a whole number, a
// number, a string, a list, a map, a point in time or a span of it. Lists and
// maps are shared and never change, so a copy is cheap. Thread-safe when const.
class Value {
 public:
  using List = std::vector<Value>;
  using Map = std::map<std::string, Value>;

  Value() = default;  // nil
  Value(std::nullptr_t) {}
  Value(bool value) : data_(value) {}
  Value(int value) : data_(int64_t{value}) {}
  Value(int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(List value) : data_(std::make_shared<const List>(std::move(value))) {}
  Value(Map value) : data_(std::make_shared<const Map>(std::move(value))) {}
  Value(absl::Time value) : data_(value) {}
  Value(absl::Duration value) : data_(value) {}

  bool is_nil() const { return std::holds_alternative<std::monostate>(data_); }
  // Null when the value is of another kind.
  const bool* as_bool() const { return std::get_if<bool>(&data_); }
  const int64_t* as_int() const { return std::get_if<int64_t>(&data_); }
  const double* as_float() const { return std::get_if<double>(&data_); }
  const std::string* as_string() const {
    return std::get_if<std::string>(&data_);
  }
  const List* as_list() const;
  const Map* as_map() const;
  const absl::Time* as_time() const { return std::get_if<absl::Time>(&data_); }
  const absl::Duration* as_duration() const {
    return std::get_if<absl::Duration>(&data_);
  }
  bool is_number() const {
    return as_int() != nullptr || as_float() != nullptr;
  }
  double number() const;  // 0 when it is none

  // "int", "string", "nil", ...: for messages.
  const char* kind() const;

  // 1 equals 1.0; lists and maps are compared by their contents.
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string,
               std::shared_ptr<const List>, std::shared_ptr<const Map>,
               absl::Time, absl::Duration>
      data_;
};

// As Go's fmt.Sprint prints a float64: "1.5", "999999", "1e+06".
std::string FloatText(double value);
// Without an exponent, however long it gets.
std::string PlainFloatText(double value);

// JSON has no whole numbers of its own: as in Go, numbers read from JSON are
// floats.
Value FromJson(const nlohmann::json& json);
// As Go's json.Marshal prints it: keys in order, 3.0 as 3, <, > and & escaped;
// `indent` blanks per level when it is not zero.
//
//   INVALID_ARGUMENT  a number that is not finite
absl::StatusOr<std::string> ToJsonText(const Value& value, int indent = 0);
// As Go's fmt.Sprint prints it: 1.5, true, [a b], map[k:v], <nil>.
std::string ToText(const Value& value);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_VALUE_H_

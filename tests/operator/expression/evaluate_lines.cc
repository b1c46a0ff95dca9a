// Evaluates expressions as Rekindle does: a line of JSON in, a line of JSON
// out, in the words of tests/cluster/stack/cmd/expressions, which asks Argo's
// own libraries.
#include <iostream>
#include <string>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/expression/condition.h"
#include "operator/expression/expression.h"
#include "operator/workflow/templating.h"

namespace rekindle::argo {
namespace {

// Whole numbers stay whole: they stand for Go's, not for JSON's.
Value ToValue(const nlohmann::json& json) {
  if (!json.is_object()) return FromJson(json);
  Value::Map map;
  for (const auto& [name, value] : json.items()) map[name] = ToValue(value);
  return Value(std::move(map));
}

absl::StatusOr<Value> Answer(const nlohmann::json& question) {
  const std::string language = question.value("language", "expr");
  const std::string text = question.at("text");
  const nlohmann::json variables =
      question.value("variables", nlohmann::json::object());
  if (language == "when") {
    RK_ASSIGN_OR_RETURN(const bool runs, EvaluateWhen(text));
    return Value(runs);
  }
  Scope scope;
  for (const auto& [name, value] : variables.items()) {
    scope[name] = ToValue(value);
  }
  if (language == "tags") {
    RK_ASSIGN_OR_RETURN(std::string replaced,
                        Substitute(text, scope, Unresolved::Keep()));
    return Value(std::move(replaced));
  }
  RK_ASSIGN_OR_RETURN(const Expression expression, Expression::Parse(text));
  return expression.Evaluate(ToVariables(scope));
}

nlohmann::json Reply(const std::string& line) {
  const absl::StatusOr<Value> value = Answer(nlohmann::json::parse(line));
  const absl::StatusOr<std::string> text =
      value.ok() ? ToJsonText(*value) : value.status();
  if (text.ok()) return {{"value", *text}};
  return {{"error", std::string(text.status().message())}};
}

}  // namespace
}  // namespace rekindle::argo

// NOLINTNEXTLINE(bugprone-exception-escape): what is no question must end it
int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << rekindle::argo::Reply(line).dump() << '\n';
  }
  return 0;
}

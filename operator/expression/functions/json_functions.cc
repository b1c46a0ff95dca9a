#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json_depth.h"
#include "base/status_macros.h"
#include "operator/expression/functions/function_table.h"

// JSON in expressions: expr-lang's toJSON and fromJSON, Argo's toJson and
// jsonpath.
namespace rekindle::argo {
namespace {

using Args = Value::List;

absl::StatusOr<Value> ParseJson(const std::string& text) {
  if (JsonIsTooDeep(text)) {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON that is nested over ", kDeepestJson, " deep"));
  }
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return absl::InvalidArgumentError("a string that is not JSON");
  }
  return FromJson(json);
}

// Walks a path such as $.a['b'][0].c[*]; filters and descents are refused.
class JsonPath {
 public:
  explicit JsonPath(absl::string_view path) : rest_(path) {}

  absl::StatusOr<Value> Find(Value value) {
    if (!absl::ConsumePrefix(&rest_, "$")) return Refuse();
    return Walk(std::move(value));
  }

 private:
  absl::Status Refuse() const {
    return absl::InvalidArgumentError(absl::StrCat(
        "jsonpath has $, .name, ['name'], [0] and [*], not '", rest_, "'"));
  }

  // The next part: a name, an index or "*".
  absl::StatusOr<std::string> Next() {
    if (absl::ConsumePrefix(&rest_, "[")) {
      const size_t end = rest_.find(']');
      if (end == absl::string_view::npos || end == 0) return Refuse();
      absl::string_view part = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (part.size() > 1 && (part[0] == '\'' || part[0] == '"') &&
          part.back() == part[0]) {
        part = part.substr(1, part.size() - 2);
      }
      return std::string(part);
    }
    if (!absl::ConsumePrefix(&rest_, ".") || rest_.empty() || rest_[0] == '.') {
      return Refuse();
    }
    const size_t end = std::min(rest_.find_first_of(".["), rest_.size());
    std::string part(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return part;
  }

  absl::StatusOr<Value> Walk(Value value) {
    while (!rest_.empty()) {
      RK_ASSIGN_OR_RETURN(const std::string part, Next());
      if (part == "*") return WalkAll(value);
      RK_ASSIGN_OR_RETURN(value, Step(value, part));
    }
    return value;
  }

  static absl::StatusOr<Value> Step(const Value& value,
                                    const std::string& part) {
    if (const Value::Map* map = value.as_map()) {
      if (const auto found = map->find(part); found != map->end()) {
        return found->second;
      }
    }
    int64_t at = 0;
    if (const Value::List* list = value.as_list();
        list != nullptr && absl::SimpleAtoi(part, &at)) {
      const int64_t size = static_cast<int64_t>(list->size());
      if (at < 0) at += size;
      if (at >= 0 && at < size) return (*list)[at];
    }
    return absl::InvalidArgumentError(
        absl::StrCat("jsonpath finds no '", part, "'"));
  }

  absl::StatusOr<Value> WalkAll(const Value& value) {
    Value::List items;
    if (value.as_list() != nullptr) items = *value.as_list();
    if (const Value::Map* map = value.as_map()) {
      for (const auto& [key, item] : *map) items.push_back(item);
    }
    Value::List found;
    for (const Value& item : items) {
      JsonPath rest("");
      rest.rest_ = rest_;
      RK_ASSIGN_OR_RETURN(Value one, rest.Walk(item));
      found.push_back(std::move(one));
    }
    return Value(std::move(found));
  }

  absl::string_view rest_;
};

absl::StatusOr<Value> Query(const Args& args) {
  RK_ASSIGN_OR_RETURN(Value value, ParseJson(*args[0].as_string()));
  return JsonPath(*args[1].as_string()).Find(std::move(value));
}

absl::StatusOr<Value> Print(const Args& args, int indent) {
  RK_ASSIGN_OR_RETURN(std::string text, ToJsonText(args[0], indent));
  return Value(std::move(text));
}

}  // namespace

void AddJsonFunctions(FunctionTable* table) {
  FunctionTable& add = *table;
  const auto parse = [](const Args& a) { return ParseJson(*a[0].as_string()); };
  add["toJSON"] = {"a", [](const Args& a) { return Print(a, 2); }};
  add["fromJSON"] = {"s", parse};
  add["toJson"] = {"a", [](const Args& a) { return Print(a, 0); }};
  add["jsonpath"] = {"ss", Query};
  add["sprig.toJson"] = add["toJson"];
  add["sprig.toPrettyJson"] = add["toJSON"];
  add["sprig.fromJson"] = {"s", parse};
}

}  // namespace rekindle::argo

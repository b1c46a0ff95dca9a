#include "operator/expression/evaluator.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/expression/functions/functions.h"
#include "operator/expression/lexer.h"
#include "operator/expression/ordering.h"

namespace rekindle::argo {
namespace {

using Kind = ExpressionNode::Kind;

class Evaluator {
 public:
  explicit Evaluator(const Value::Map& variables) : variables_(variables) {}

  absl::StatusOr<Value> Run(const ExpressionNode& node) {
    absl::StatusOr<Value> value = Dispatch(node);
    if (value.ok() || absl::StartsWith(value.status().message(), "column ")) {
      return value;
    }
    return ErrorAt(node.column, value.status().message());
  }

 private:
  // What a predicate is evaluated for.
  struct Item {
    Value value;
    int64_t index = 0;
    Value accumulated;
  };

  absl::StatusOr<Value> Dispatch(const ExpressionNode& node) {
    switch (node.kind) {
      case Kind::kLiteral:
        return node.literal;
      case Kind::kName:
        return Name(node.text);
      case Kind::kPointer:
        return Pointer(node.text);
      case Kind::kMember:
        return Member(node);
      case Kind::kChain:
        return Chain(node);
      case Kind::kSlice:
        return Slice(node);
      case Kind::kUnary:
        return Unary(node);
      case Kind::kBinary:
        return Binary(node);
      case Kind::kCondition:
        return Condition(node);
      case Kind::kList:
        return List(node);
      case Kind::kMap:
        return Map(node);
      case Kind::kCall:
        return TakesPredicate(node.text) ? PredicateCall(node) : Call(node);
      case Kind::kMethod:
        return Method(node);
      case Kind::kPredicate:
        return Run(*node.children[0]);
      case Kind::kLet:
        return Let(node);
      case Kind::kSequence:
        return Sequence(node);
    }
    return absl::InternalError("an unknown node");
  }

  absl::StatusOr<Value> Name(const std::string& name) const {
    const auto local =
        std::find_if(locals_.rbegin(), locals_.rend(),
                     [&](const auto& one) { return one.first == name; });
    if (local != locals_.rend()) return local->second;
    if (name == "$env") return Value(variables_);
    const auto found = variables_.find(name);
    if (found != variables_.end()) return found->second;
    return absl::InvalidArgumentError(
        absl::StrCat("unknown name '", name, "'"));
  }

  absl::StatusOr<Value> Pointer(const std::string& name) const {
    if (items_.empty()) return absl::InvalidArgumentError("'#' has no item");
    if (name == "index") return Value(items_.back().index);
    return name == "acc" ? items_.back().accumulated : items_.back().value;
  }

  absl::StatusOr<Value> Member(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const Value base, Run(*node.children[0]));
    if (cut_) return Value();
    if (base.is_nil() && node.optional) {
      cut_ = true;
      return Value();
    }
    RK_ASSIGN_OR_RETURN(const Value key, Run(*node.children[1]));
    return Fetch(base, key);
  }

  static absl::StatusOr<Value> Fetch(const Value& base, const Value& key) {
    if (const Value::Map* map = base.as_map()) {
      const auto found = map->find(ToText(key));
      return found == map->end() ? Value() : found->second;
    }
    if (const Value::List* list = base.as_list()) {
      const int64_t size = static_cast<int64_t>(list->size());
      if (key.is_number()) {
        const int64_t at = static_cast<int64_t>(key.number());
        const int64_t index = at < 0 ? at + size : at;
        if (index >= 0 && index < size) return (*list)[index];
      }
    }
    return absl::InvalidArgumentError(
        absl::StrCat("there is no '", ToText(key), "' in ",
                     base.is_nil() ? "a value that is nil" : base.kind()));
  }

  absl::StatusOr<Value> Chain(const ExpressionNode& node) {
    absl::StatusOr<Value> value = Run(*node.children[0]);
    if (std::exchange(cut_, false)) return Value();
    return value;
  }

  absl::StatusOr<int64_t> Bound(const NodePtr& node, int64_t size,
                                int64_t otherwise) {
    if (node == nullptr) return otherwise;
    RK_ASSIGN_OR_RETURN(const Value bound, Run(*node));
    if (bound.as_int() == nullptr) {
      return absl::InvalidArgumentError("a slice takes whole numbers");
    }
    const int64_t at =
        *bound.as_int() < 0 ? *bound.as_int() + size : *bound.as_int();
    return std::clamp<int64_t>(at, 0, size);
  }

  absl::StatusOr<Value> Slice(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const Value base, Run(*node.children[0]));
    if (cut_) return Value();
    const std::string* text = base.as_string();
    const Value::List* list = base.as_list();
    if (text == nullptr && list == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(base.kind(), " has no slices"));
    }
    const auto size =
        static_cast<int64_t>(text != nullptr ? text->size() : list->size());
    RK_ASSIGN_OR_RETURN(const int64_t from, Bound(node.children[1], size, 0));
    RK_ASSIGN_OR_RETURN(const int64_t end, Bound(node.children[2], size, size));
    const int64_t to = std::max(from, end);
    if (text != nullptr) return Value(text->substr(from, to - from));
    return Value(Value::List(list->begin() + from, list->begin() + to));
  }

  absl::StatusOr<bool> Bool(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const Value value, Run(node));
    if (const bool* b = value.as_bool()) return *b;
    return ErrorAt(node.column,
                   absl::StrCat("true or false is needed, not ", value.kind()));
  }

  absl::StatusOr<Value> Unary(const ExpressionNode& node) {
    if (node.text == "not" || node.text == "!") {
      RK_ASSIGN_OR_RETURN(const bool operand, Bool(*node.children[0]));
      return Value(!operand);
    }
    RK_ASSIGN_OR_RETURN(const Value operand, Run(*node.children[0]));
    if (operand.is_number()) {
      return node.text == "+" ? operand : ApplyBinary("*", Value(-1), operand);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("'", node.text, "' needs a number, not ", operand.kind()));
  }

  absl::StatusOr<Value> Binary(const ExpressionNode& node) {
    const ExpressionNode& left = *node.children[0];
    const ExpressionNode& right = *node.children[1];
    const bool conjunction = node.text == "and" || node.text == "&&";
    if (conjunction || node.text == "or" || node.text == "||") {
      RK_ASSIGN_OR_RETURN(const bool first, Bool(left));
      if (first != conjunction) return Value(first);
      RK_ASSIGN_OR_RETURN(const bool second, Bool(right));
      return Value(second);
    }
    RK_ASSIGN_OR_RETURN(const Value a, Run(left));
    if (node.text == "??") return a.is_nil() ? Run(right) : a;
    RK_ASSIGN_OR_RETURN(const Value b, Run(right));
    return ApplyBinary(node.text, a, b);
  }

  absl::StatusOr<Value> Condition(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const bool condition, Bool(*node.children[0]));
    return Run(*node.children[condition ? 1 : 2]);
  }

  absl::StatusOr<Value::List> RunAll(const std::vector<NodePtr>& nodes,
                                     size_t first) {
    Value::List values;
    for (size_t i = first; i < nodes.size(); ++i) {
      RK_ASSIGN_OR_RETURN(Value value, Run(*nodes[i]));
      values.push_back(std::move(value));
    }
    return values;
  }

  absl::StatusOr<Value> List(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(Value::List values, RunAll(node.children, 0));
    return Value(std::move(values));
  }

  absl::StatusOr<Value> Map(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const Value::List parts, RunAll(node.children, 0));
    Value::Map map;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      map[ToText(parts[i])] = parts[i + 1];
    }
    return Value(std::move(map));
  }

  absl::StatusOr<Value> Call(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const Value::List arguments, RunAll(node.children, 0));
    return CallFunction(node.text, arguments);
  }

  absl::StatusOr<Value> Method(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const Value base, Run(*node.children[0]));
    if (cut_) return Value();
    if (base.is_nil() && node.optional) {
      cut_ = true;
      return Value();
    }
    RK_ASSIGN_OR_RETURN(const Value::List arguments, RunAll(node.children, 1));
    return CallMethod(base, node.text, arguments);
  }

  absl::StatusOr<Value> Let(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(Value value, Run(*node.children[0]));
    locals_.emplace_back(node.text, std::move(value));
    absl::StatusOr<Value> result = Run(*node.children[1]);
    locals_.pop_back();
    return result;
  }

  absl::StatusOr<Value> Sequence(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const Value::List values, RunAll(node.children, 0));
    return values.back();
  }

  // The predicate's value for each item of the list.
  absl::StatusOr<Value::List> ForEach(const Value::List& list,
                                      const ExpressionNode& predicate) {
    Value::List results;
    for (size_t i = 0; i < list.size(); ++i) {
      items_.push_back({list[i], static_cast<int64_t>(i), Value()});
      absl::StatusOr<Value> result = Run(predicate);
      items_.pop_back();
      RK_RETURN_IF_ERROR(result.status());
      results.push_back(*std::move(result));
    }
    return results;
  }

  absl::StatusOr<std::vector<bool>> Matches(const Value::List& list,
                                            const ExpressionNode& predicate) {
    RK_ASSIGN_OR_RETURN(const Value::List results, ForEach(list, predicate));
    std::vector<bool> matches;
    for (const Value& result : results) {
      if (result.as_bool() == nullptr) {
        return ErrorAt(predicate.column,
                       absl::StrCat("the predicate must be true or false, not ",
                                    result.kind()));
      }
      matches.push_back(*result.as_bool());
    }
    return matches;
  }

  absl::StatusOr<Value> PredicateCall(const ExpressionNode& node) {
    RK_ASSIGN_OR_RETURN(const Value first, Run(*node.children[0]));
    const Value::List* list = first.as_list();
    if (list == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", node.text, "' takes an array first, not ", first.kind()));
    }
    if (node.text == "reduce") return Reduce(node, *list);
    if (node.text == "map") {
      RK_ASSIGN_OR_RETURN(Value::List mapped,
                          ForEach(*list, *node.children[1]));
      return Value(std::move(mapped));
    }
    if (node.text == "groupBy") return GroupBy(node, *list);
    if (node.text == "sortBy") return SortBy(node, *list);
    if (node.text == "sum") return Sum(node, *list);
    std::vector<bool> matches;
    if (node.children.size() > 1) {
      RK_ASSIGN_OR_RETURN(matches, Matches(*list, *node.children[1]));
    } else {  // count(list): how many are true
      for (const Value& item : *list) matches.push_back(item == Value(true));
    }
    return FromMatches(node.text, *list, matches);
  }

  static Value FromMatches(const std::string& name, const Value::List& list,
                           const std::vector<bool>& matches) {
    const int64_t count = std::count(matches.begin(), matches.end(), true);
    const auto first = std::find(matches.begin(), matches.end(), true);
    const auto last = std::find(matches.rbegin(), matches.rend(), true);
    const int64_t last_at = std::distance(last, matches.rend()) - 1;
    const int64_t first_at =
        count == 0 ? -1 : std::distance(matches.begin(), first);
    if (name == "all") return Value(count == static_cast<int64_t>(list.size()));
    if (name == "none") return Value(count == 0);
    if (name == "any") return Value(count > 0);
    if (name == "one") return Value(count == 1);
    if (name == "count") return Value(count);
    if (name == "findIndex") return first_at < 0 ? Value() : Value(first_at);
    if (name == "findLastIndex") return last_at < 0 ? Value() : Value(last_at);
    if (name == "find") return first_at < 0 ? Value() : list[first_at];
    if (name == "findLast") return last_at < 0 ? Value() : list[last_at];
    Value::List kept;  // filter
    for (size_t i = 0; i < list.size(); ++i) {
      if (matches[i]) kept.push_back(list[i]);
    }
    return Value(std::move(kept));
  }

  absl::StatusOr<Value> Reduce(const ExpressionNode& node,
                               const Value::List& list) {
    Value accumulated;
    size_t start = 0;
    if (node.children.size() == 3) {
      RK_ASSIGN_OR_RETURN(accumulated, Run(*node.children[2]));
    } else if (list.empty()) {
      return absl::InvalidArgumentError("'reduce' of an empty array");
    } else {
      accumulated = list[start++];
    }
    for (size_t i = start; i < list.size(); ++i) {
      items_.push_back({list[i], static_cast<int64_t>(i), accumulated});
      absl::StatusOr<Value> next = Run(*node.children[1]);
      items_.pop_back();
      RK_RETURN_IF_ERROR(next.status());
      accumulated = *std::move(next);
    }
    return accumulated;
  }

  absl::StatusOr<Value> GroupBy(const ExpressionNode& node,
                                const Value::List& list) {
    RK_ASSIGN_OR_RETURN(const Value::List keys,
                        ForEach(list, *node.children[1]));
    std::map<std::string, Value::List> groups;
    for (size_t i = 0; i < list.size(); ++i) {
      groups[ToText(keys[i])].push_back(list[i]);
    }
    Value::Map map;
    for (auto& [key, group] : groups) map[key] = Value(std::move(group));
    return Value(std::move(map));
  }

  absl::StatusOr<Value> SortBy(const ExpressionNode& node,
                               const Value::List& list) {
    RK_ASSIGN_OR_RETURN(const Value::List keys,
                        ForEach(list, *node.children[1]));
    bool descending = false;
    if (node.children.size() == 3) {
      RK_ASSIGN_OR_RETURN(const Value order, Run(*node.children[2]));
      descending = order == Value("desc");
    }
    RK_ASSIGN_OR_RETURN(Value::List sorted, SortByKeys(list, keys, descending));
    return Value(std::move(sorted));
  }

  absl::StatusOr<Value> Sum(const ExpressionNode& node,
                            const Value::List& list) {
    Value::List numbers = list;
    if (node.children.size() > 1) {
      RK_ASSIGN_OR_RETURN(numbers, ForEach(list, *node.children[1]));
    }
    Value sum(0);
    for (const Value& number : numbers) {
      RK_ASSIGN_OR_RETURN(sum, ApplyBinary("+", sum, number));
    }
    return sum;
  }

  const Value::Map& variables_;
  std::vector<std::pair<std::string, Value>> locals_;
  std::vector<Item> items_;
  bool cut_ = false;  // a `?.` met nil: the rest of its chain is not evaluated
};

}  // namespace

absl::StatusOr<Value> Evaluate(const ExpressionNode& root,
                               const Value::Map& variables) {
  return Evaluator(variables).Run(root);
}

}  // namespace rekindle::argo

#include "operator/expression/expression.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/expression/evaluator.h"
#include "operator/expression/lexer.h"
#include "operator/expression/parser.h"

namespace rekindle::argo {
namespace {

using Kind = ExpressionNode::Kind;

// "a.b.c" of plain members on a name; nullopt when a part is computed or
// optional.
std::optional<std::string> PathOf(const ExpressionNode& node) {
  if (node.kind == Kind::kName) return node.text;
  if (node.kind != Kind::kMember || node.optional ||
      node.children[1]->kind != Kind::kLiteral ||
      node.children[1]->literal.as_string() == nullptr) {
    return std::nullopt;
  }
  const std::optional<std::string> base = PathOf(*node.children[0]);
  if (!base.has_value()) return std::nullopt;
  return absl::StrCat(*base, ".", *node.children[1]->literal.as_string());
}

class NameCollector {
 public:
  // `guarded`: below the left side of `??`, where members may be missing.
  void Visit(const ExpressionNode& node, bool guarded) {
    if (node.kind == Kind::kLet) {
      Visit(*node.children[0], guarded);
      locals_.push_back(node.text);
      Visit(*node.children[1], guarded);
      locals_.pop_back();
      return;
    }
    Note(node, guarded);
    const bool coalesces = node.kind == Kind::kBinary && node.text == "??";
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (node.children[i] == nullptr) continue;
      // a.b?.c: b may be missing.
      const bool optional_base =
          node.kind == Kind::kMember && node.optional && i == 0;
      Visit(*node.children[i],
            guarded || (coalesces && i == 0) || optional_base);
    }
  }

  std::vector<std::string> names;

 private:
  void Note(const ExpressionNode& node, bool guarded) {
    const bool member = node.kind == Kind::kMember;
    if (node.kind != Kind::kName && (!member || guarded)) return;
    const std::optional<std::string> path = PathOf(node);
    if (!path.has_value() || !seen_.insert(*path).second) return;
    const std::string root = path->substr(0, path->find('.'));
    if (std::find(locals_.begin(), locals_.end(), root) == locals_.end()) {
      names.push_back(*path);
    }
  }

  std::vector<std::string> locals_;
  std::set<std::string> seen_;
};

// Argo compiles before it runs: a name that is not there is an error even where
// the expression would not come to it.
absl::Status CheckNames(const ExpressionNode& node, const Value::Map& variables,
                        std::vector<std::string>* locals) {
  if (node.kind == Kind::kName) {
    const bool known =
        node.text == "$env" || variables.contains(node.text) ||
        std::find(locals->begin(), locals->end(), node.text) != locals->end();
    return known ? absl::OkStatus()
                 : ErrorAt(node.column,
                           absl::StrCat("unknown name '", node.text, "'"));
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (node.children[i] == nullptr) continue;
    const bool body = node.kind == Kind::kLet && i == 1;
    if (body) locals->push_back(node.text);
    const absl::Status checked =
        CheckNames(*node.children[i], variables, locals);
    if (body) locals->pop_back();
    RK_RETURN_IF_ERROR(checked);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Expression> Expression::Parse(absl::string_view text) {
  RK_ASSIGN_OR_RETURN(NodePtr root, ParseExpression(text));
  return Expression(std::string(text), std::move(root));
}

absl::StatusOr<Value> Expression::Evaluate(const Value::Map& variables) const {
  std::vector<std::string> locals;
  RK_RETURN_IF_ERROR(CheckNames(*root_, variables, &locals));
  return argo::Evaluate(*root_, variables);
}

absl::StatusOr<bool> Expression::EvaluateBool(
    const Value::Map& variables) const {
  RK_ASSIGN_OR_RETURN(const Value value, Evaluate(variables));
  if (const bool* b = value.as_bool()) return *b;
  return absl::InvalidArgumentError(
      absl::StrCat("'", text_, "' gives ", value.kind(), " ", ToText(value),
                   ", not true or false"));
}

std::vector<std::string> Expression::RequiredNames() const {
  NameCollector collector;
  collector.Visit(*root_, false);
  return std::move(collector.names);
}

}  // namespace rekindle::argo

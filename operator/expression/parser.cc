#include "operator/expression/parser.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/expression/grammar.h"
#include "operator/expression/lexer.h"

namespace rekindle::argo {
namespace {

using Kind = ExpressionNode::Kind;

// Beyond this depth an expression is an attack on the stack, not a thought.
constexpr int kMaxDepth = 200;

// Operators bind as tightly as these numbers say, expr-lang's own.
const std::map<std::string, int>& BinaryPrecedence() {
  static const auto* const kPrecedence = new std::map<std::string, int>{
      {"|", 0},        {"or", 10},       {"||", 10},         {"and", 15},
      {"&&", 15},      {"==", 20},       {"!=", 20},         {"<", 20},
      {">", 20},       {">=", 20},       {"<=", 20},         {"in", 20},
      {"matches", 20}, {"contains", 20}, {"startsWith", 20}, {"endsWith", 20},
      {"..", 25},      {"+", 30},        {"-", 30},          {"*", 60},
      {"/", 60},       {"%", 60},        {"**", 100},        {"^", 100},
      {"??", 500}};
  return *kPrecedence;
}

int UnaryPrecedence(const std::string& symbol) {
  if (symbol == "not" || symbol == "!") return 50;
  return symbol == "-" || symbol == "+" ? 90 : -1;
}

bool MayBeNegated(const std::string& symbol) {
  return symbol == "in" || symbol == "matches" || symbol == "contains" ||
         symbol == "startsWith" || symbol == "endsWith";
}

bool IsOrdering(const Token& token) {
  return token.kind == Token::Kind::kOperator &&
         (token.text == "<" || token.text == ">" || token.text == "<=" ||
          token.text == ">=");
}

}  // namespace

absl::StatusOr<NodePtr> Grammar::Everything() {
  RK_ASSIGN_OR_RETURN(NodePtr root, Sequence());
  if (tokens_.Current().kind != Token::Kind::kEnd) return tokens_.Unexpected();
  return root;
}

absl::StatusOr<NodePtr> Grammar::Sequence() {
  const int column = tokens_.Current().column;
  std::vector<NodePtr> parts;
  do {
    if (!parts.empty() && tokens_.Current().kind == Token::Kind::kEnd) break;
    RK_ASSIGN_OR_RETURN(NodePtr part, Whole());
    parts.push_back(std::move(part));
  } while (tokens_.TakeOperator(";"));
  if (parts.size() == 1) return parts.front();
  return MakeNode(Kind::kSequence, column, "", std::move(parts));
}

absl::StatusOr<NodePtr> Grammar::Whole() { return Operation(0); }

absl::StatusOr<NodePtr> Grammar::Operation(int precedence) {
  if (depth_ == kMaxDepth) {
    return ErrorAt(tokens_.Current().column,
                   "the expression is nested too deeply");
  }
  ++depth_;
  absl::StatusOr<NodePtr> node = UncountedOperation(precedence);
  --depth_;
  return node;
}

absl::StatusOr<NodePtr> Grammar::UncountedOperation(int precedence) {
  if (precedence == 0 && tokens_.IsOperator("let")) return Let();
  if (precedence == 0 && tokens_.IsOperator("if")) return If();
  RK_ASSIGN_OR_RETURN(NodePtr left, Primary());
  std::string previous;
  while (tokens_.Current().kind == Token::Kind::kOperator) {
    const bool negated =
        tokens_.IsOperator("not") && MayBeNegated(tokens_.Next().text);
    const Token symbol = negated ? tokens_.Next() : tokens_.Current();
    const auto found = BinaryPrecedence().find(symbol.text);
    if (found == BinaryPrecedence().end() || found->second < precedence) {
      break;
    }
    if (previous == "??" && symbol.text != "??" && symbol.text != "|") {
      return ErrorAt(
          symbol.column,
          absl::StrCat(
              "only parentheses let a coalescing operator stand beside '",
              symbol.text, "'"));
    }
    if (negated) tokens_.Take();
    tokens_.Take();
    RK_ASSIGN_OR_RETURN(left, Binary(std::move(left), symbol, found->second));
    if (negated) {
      left = MakeNode(Kind::kUnary, symbol.column, "not", {std::move(left)});
    }
    previous = symbol.text;
  }
  return precedence == 0 ? Ternary(std::move(left)) : left;
}

absl::StatusOr<NodePtr> Grammar::Binary(NodePtr left, const Token& symbol,
                                        int precedence) {
  if (symbol.text == "|") return Pipe(std::move(left));
  if (IsOrdering(symbol)) {
    return Ordering(std::move(left), symbol, precedence);
  }
  const bool right_to_left = symbol.text == "**" || symbol.text == "^";
  RK_ASSIGN_OR_RETURN(NodePtr right,
                      Operation(right_to_left ? precedence : precedence + 1));
  return MakeNode(Kind::kBinary, symbol.column, symbol.text,
                  {std::move(left), std::move(right)});
}

// `1 < x < 3` is `1 < x && x < 3`.
absl::StatusOr<NodePtr> Grammar::Ordering(NodePtr left, Token symbol,
                                          int precedence) {
  NodePtr all;
  while (true) {
    RK_ASSIGN_OR_RETURN(NodePtr right, Operation(precedence + 1));
    NodePtr one =
        MakeNode(Kind::kBinary, symbol.column, symbol.text, {left, right});
    all = all == nullptr
              ? one
              : MakeNode(Kind::kBinary, symbol.column, "&&", {all, one});
    if (!IsOrdering(tokens_.Current())) return all;
    left = right;
    symbol = tokens_.Take();
  }
}

absl::StatusOr<NodePtr> Grammar::Pipe(NodePtr left) {
  if (tokens_.Current().kind != Token::Kind::kName) return tokens_.Unexpected();
  const Token name = tokens_.Take();
  if (tokens_.IsOperator(".")) {  // | sprig.x() takes no argument from a pipe
    return ErrorAt(name.column, "only a function can follow '|'");
  }
  return Call(name, {std::move(left)});
}

absl::StatusOr<NodePtr> Grammar::Let() {
  tokens_.Take();
  if (tokens_.Current().kind != Token::Kind::kName) return tokens_.Unexpected();
  const Token name = tokens_.Take();
  RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, "="));
  RK_ASSIGN_OR_RETURN(NodePtr value, Whole());
  RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, ";"));
  RK_ASSIGN_OR_RETURN(NodePtr body, Sequence());
  return MakeNode(Kind::kLet, name.column, name.text,
                  {std::move(value), std::move(body)});
}

absl::StatusOr<NodePtr> Grammar::Block() {
  RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kBracket, "{"));
  RK_ASSIGN_OR_RETURN(NodePtr body, Sequence());
  RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kBracket, "}"));
  return body;
}

absl::StatusOr<NodePtr> Grammar::If() {
  const int column = tokens_.Take().column;
  RK_ASSIGN_OR_RETURN(NodePtr condition, Whole());
  RK_ASSIGN_OR_RETURN(NodePtr then, Block());
  RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, "else"));
  NodePtr otherwise;
  if (tokens_.IsOperator("if")) {
    RK_ASSIGN_OR_RETURN(otherwise, Operation(0));
  } else {
    RK_ASSIGN_OR_RETURN(otherwise, Block());
  }
  return MakeNode(
      Kind::kCondition, column, "",
      {std::move(condition), std::move(then), std::move(otherwise)});
}

absl::StatusOr<NodePtr> Grammar::Ternary(NodePtr condition) {
  while (tokens_.IsOperator("?")) {
    const int column = tokens_.Take().column;
    NodePtr then = condition;
    if (!tokens_.IsOperator(":")) {
      RK_ASSIGN_OR_RETURN(then, Whole());
    }
    RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, ":"));
    RK_ASSIGN_OR_RETURN(NodePtr otherwise, Whole());
    condition = MakeNode(Kind::kCondition, column, "",
                         {condition, std::move(then), std::move(otherwise)});
  }
  return condition;
}

absl::StatusOr<NodePtr> Grammar::Primary() {
  const Token token = tokens_.Current();
  if (token.kind == Token::Kind::kOperator) {
    if (const int precedence = UnaryPrecedence(token.text); precedence >= 0) {
      tokens_.Take();
      RK_ASSIGN_OR_RETURN(NodePtr operand, Operation(precedence));
      return Postfix(MakeNode(Kind::kUnary, token.column, token.text,
                              {std::move(operand)}));
    }
    if (token.text == "::") {
      tokens_.Take();
      return Atom();
    }
    return PointerOrError();
  }
  if (tokens_.IsBracket("(")) {
    tokens_.Take();
    RK_ASSIGN_OR_RETURN(NodePtr inner, Sequence());
    RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kBracket, ")"));
    return Postfix(std::move(inner));
  }
  return Atom();
}

absl::StatusOr<NodePtr> ParseExpression(absl::string_view text) {
  RK_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  return Grammar(std::move(tokens)).Everything();
}

}  // namespace rekindle::argo

#include "operator/expression/parser.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "operator/expression/functions.h"
#include "operator/expression/lexer.h"

namespace rekindle::argo {
namespace {

using Kind = ExpressionNode::Kind;

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

NodePtr Make(Kind kind, int column, std::string text,
             std::vector<NodePtr> children, bool optional = false) {
  return std::make_shared<const ExpressionNode>(ExpressionNode{
      kind, column, std::move(text), Value(), optional, std::move(children)});
}

NodePtr MakeLiteral(int column, Value value) {
  return std::make_shared<const ExpressionNode>(
      ExpressionNode{Kind::kLiteral, column, "", std::move(value), false, {}});
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  absl::StatusOr<NodePtr> Run() {
    RK_ASSIGN_OR_RETURN(NodePtr root, Sequence());
    if (Current().kind != Token::Kind::kEnd) return Unexpected();
    return root;
  }

 private:
  // Beyond this depth an expression is an attack on the stack, not a thought.
  static constexpr int kMaxDepth = 200;

  const Token& Current() const { return tokens_[at_]; }
  const Token& Peek() const {
    return tokens_[std::min(at_ + 1, tokens_.size() - 1)];
  }
  Token Take() {
    Token token = Current();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool IsOperator(absl::string_view text) const {
    return Current().Is(Token::Kind::kOperator, text);
  }
  bool IsBracket(absl::string_view text) const {
    return Current().Is(Token::Kind::kBracket, text);
  }
  bool TakeOperator(absl::string_view text) {
    const bool is = IsOperator(text);
    if (is) Take();
    return is;
  }
  absl::Status Unexpected() const {
    if (Current().kind == Token::Kind::kEnd) {
      return ErrorAt(Current().column, "the expression ends too early");
    }
    return ErrorAt(Current().column,
                   absl::StrCat("unexpected '", Current().text, "'"));
  }
  absl::Status Expect(Token::Kind kind, absl::string_view text) {
    if (!Current().Is(kind, text)) return Unexpected();
    Take();
    return absl::OkStatus();
  }

  absl::StatusOr<NodePtr> Sequence() {
    const int column = Current().column;
    std::vector<NodePtr> parts;
    do {
      if (!parts.empty() && Current().kind == Token::Kind::kEnd) break;
      RK_ASSIGN_OR_RETURN(NodePtr part, Whole());
      parts.push_back(std::move(part));
    } while (TakeOperator(";"));
    if (parts.size() == 1) return parts.front();
    return Make(Kind::kSequence, column, "", std::move(parts));
  }

  absl::StatusOr<NodePtr> Whole() { return Operation(0); }

  absl::StatusOr<NodePtr> Operation(int precedence) {
    if (depth_ == kMaxDepth) {
      return ErrorAt(Current().column, "the expression is nested too deeply");
    }
    ++depth_;
    absl::StatusOr<NodePtr> node = UncountedOperation(precedence);
    --depth_;
    return node;
  }

  absl::StatusOr<NodePtr> UncountedOperation(int precedence) {
    if (precedence == 0 && IsOperator("let")) return Let();
    if (precedence == 0 && IsOperator("if")) return If();
    RK_ASSIGN_OR_RETURN(NodePtr left, Primary());
    std::string previous;
    while (Current().kind == Token::Kind::kOperator) {
      const bool negated = IsOperator("not") && MayBeNegated(Peek().text);
      const Token symbol = negated ? Peek() : Current();
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
      if (negated) Take();
      Take();
      RK_ASSIGN_OR_RETURN(left, Binary(std::move(left), symbol, found->second));
      if (negated) {
        left = Make(Kind::kUnary, symbol.column, "not", {std::move(left)});
      }
      previous = symbol.text;
    }
    return precedence == 0 ? Ternary(std::move(left)) : left;
  }

  absl::StatusOr<NodePtr> Binary(NodePtr left, const Token& symbol,
                                 int precedence) {
    if (symbol.text == "|") return Pipe(std::move(left));
    if (IsOrdering(symbol)) {
      return Ordering(std::move(left), symbol, precedence);
    }
    const bool right_to_left = symbol.text == "**" || symbol.text == "^";
    RK_ASSIGN_OR_RETURN(NodePtr right,
                        Operation(right_to_left ? precedence : precedence + 1));
    return Make(Kind::kBinary, symbol.column, symbol.text,
                {std::move(left), std::move(right)});
  }

  // `1 < x < 3` is `1 < x && x < 3`.
  absl::StatusOr<NodePtr> Ordering(NodePtr left, Token symbol, int precedence) {
    NodePtr all;
    while (true) {
      RK_ASSIGN_OR_RETURN(NodePtr right, Operation(precedence + 1));
      NodePtr one =
          Make(Kind::kBinary, symbol.column, symbol.text, {left, right});
      all = all == nullptr
                ? one
                : Make(Kind::kBinary, symbol.column, "&&", {all, one});
      if (!IsOrdering(Current())) return all;
      left = right;
      symbol = Take();
    }
  }

  absl::StatusOr<NodePtr> Pipe(NodePtr left) {
    if (Current().kind != Token::Kind::kName) return Unexpected();
    const Token name = Take();
    if (IsOperator(".")) {  // | sprig.x() takes no argument from a pipe
      return ErrorAt(name.column, "only a function can follow '|'");
    }
    return Call(name, {std::move(left)});
  }

  absl::StatusOr<NodePtr> Let() {
    Take();
    if (Current().kind != Token::Kind::kName) return Unexpected();
    const Token name = Take();
    RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, "="));
    RK_ASSIGN_OR_RETURN(NodePtr value, Whole());
    RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, ";"));
    RK_ASSIGN_OR_RETURN(NodePtr body, Sequence());
    return Make(Kind::kLet, name.column, name.text,
                {std::move(value), std::move(body)});
  }

  absl::StatusOr<NodePtr> Block() {
    RK_RETURN_IF_ERROR(Expect(Token::Kind::kBracket, "{"));
    RK_ASSIGN_OR_RETURN(NodePtr body, Sequence());
    RK_RETURN_IF_ERROR(Expect(Token::Kind::kBracket, "}"));
    return body;
  }

  absl::StatusOr<NodePtr> If() {
    const int column = Take().column;
    RK_ASSIGN_OR_RETURN(NodePtr condition, Whole());
    RK_ASSIGN_OR_RETURN(NodePtr then, Block());
    RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, "else"));
    NodePtr otherwise;
    if (IsOperator("if")) {
      RK_ASSIGN_OR_RETURN(otherwise, Operation(0));
    } else {
      RK_ASSIGN_OR_RETURN(otherwise, Block());
    }
    return Make(Kind::kCondition, column, "",
                {std::move(condition), std::move(then), std::move(otherwise)});
  }

  absl::StatusOr<NodePtr> Ternary(NodePtr condition) {
    while (IsOperator("?")) {
      const int column = Take().column;
      NodePtr then = condition;
      if (!IsOperator(":")) {
        RK_ASSIGN_OR_RETURN(then, Whole());
      }
      RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, ":"));
      RK_ASSIGN_OR_RETURN(NodePtr otherwise, Whole());
      condition = Make(Kind::kCondition, column, "",
                       {condition, std::move(then), std::move(otherwise)});
    }
    return condition;
  }

  absl::StatusOr<NodePtr> Primary() {
    const Token token = Current();
    if (token.kind == Token::Kind::kOperator) {
      if (const int precedence = UnaryPrecedence(token.text); precedence >= 0) {
        Take();
        RK_ASSIGN_OR_RETURN(NodePtr operand, Operation(precedence));
        return Postfix(
            Make(Kind::kUnary, token.column, token.text, {std::move(operand)}));
      }
      if (token.text == "::") {
        Take();
        return Atom();
      }
      return PointerOrError();
    }
    if (IsBracket("(")) {
      Take();
      RK_ASSIGN_OR_RETURN(NodePtr inner, Sequence());
      RK_RETURN_IF_ERROR(Expect(Token::Kind::kBracket, ")"));
      return Postfix(std::move(inner));
    }
    return Atom();
  }

  // `#`, `#index`, `#acc`, and `.name` for `#.name`, inside a predicate.
  absl::StatusOr<NodePtr> PointerOrError() {
    const bool pointer = IsOperator("#") || IsOperator(".");
    if (!pointer || predicates_ == 0) return Unexpected();
    const int column = Current().column;
    std::string name;
    if (TakeOperator("#") && Current().kind == Token::Kind::kName) {
      name = Take().text;
      if (name != "index" && name != "acc") {
        return ErrorAt(column, absl::StrCat("'#", name,
                                            "' means nothing; "
                                            "there are #, #index and #acc"));
      }
    }
    return Postfix(Make(Kind::kPointer, column, name, {}));
  }

  absl::StatusOr<NodePtr> Atom() {
    const Token token = Current();
    switch (token.kind) {
      case Token::Kind::kNumber:
        Take();
        return Number(token);
      case Token::Kind::kString:
        Take();
        return Postfix(MakeLiteral(token.column, Value(token.text)));
      case Token::Kind::kName:
        Take();
        return NameOrCall(token);
      default:
        break;
    }
    if (IsBracket("[")) return List();
    if (IsBracket("{")) return Map();
    return Unexpected();
  }

  absl::StatusOr<NodePtr> NameOrCall(const Token& name) {
    if (name.text == "true" || name.text == "false") {
      return MakeLiteral(name.column, Value(name.text == "true"));
    }
    if (name.text == "nil") return MakeLiteral(name.column, Value());
    if (IsBracket("(")) {
      RK_ASSIGN_OR_RETURN(NodePtr call, Call(name, {}));
      return Postfix(std::move(call));
    }
    if (name.text == "sprig" && IsOperator(".")) {
      Take();
      const Token function = Take();
      RK_ASSIGN_OR_RETURN(
          NodePtr call,
          Call({Token::Kind::kName, absl::StrCat("sprig.", function.text),
                name.column},
               {}));
      return Postfix(std::move(call));
    }
    return Postfix(Make(Kind::kName, name.column, name.text, {}));
  }

  absl::StatusOr<NodePtr> Number(const Token& token) {
    const std::string text = absl::StrReplaceAll(token.text, {{"_", ""}});
    const std::string lower = absl::AsciiStrToLower(text);
    int64_t whole = 0;
    double number = 0;
    const bool hex = absl::StartsWith(lower, "0x");
    if (hex || absl::StartsWith(lower, "0b") || absl::StartsWith(lower, "0o")) {
      char* end = nullptr;
      errno = 0;
      whole = std::strtoll(lower.c_str() + 2, &end,
                           hex               ? 16
                           : lower[1] == 'b' ? 2
                                             : 8);
      if (errno == 0 && *end == '\0' && lower.size() > 2) {
        return MakeLiteral(token.column, Value(whole));
      }
    } else if (lower.find_first_of(".e") != std::string::npos) {
      if (absl::SimpleAtod(lower, &number)) {
        return MakeLiteral(token.column, Value(number));
      }
    } else if (absl::SimpleAtoi(lower, &whole)) {
      return MakeLiteral(token.column, Value(whole));
    }
    return ErrorAt(token.column,
                   absl::StrCat("'", token.text, "' is no number"));
  }

  absl::StatusOr<NodePtr> List() {
    const int column = Take().column;
    std::vector<NodePtr> items;
    while (!IsBracket("]")) {
      if (!items.empty()) {
        RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, ","));
        if (IsBracket("]")) break;
      }
      RK_ASSIGN_OR_RETURN(NodePtr item, Whole());
      items.push_back(std::move(item));
    }
    Take();
    return Postfix(Make(Kind::kList, column, "", std::move(items)));
  }

  absl::StatusOr<NodePtr> Map() {
    const int column = Take().column;
    std::vector<NodePtr> parts;
    while (!IsBracket("}")) {
      if (!parts.empty()) {
        RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, ","));
        if (IsBracket("}")) break;
      }
      RK_ASSIGN_OR_RETURN(NodePtr key, MapKey());
      RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, ":"));
      RK_ASSIGN_OR_RETURN(NodePtr value, Whole());
      parts.push_back(std::move(key));
      parts.push_back(std::move(value));
    }
    Take();
    return Postfix(Make(Kind::kMap, column, "", std::move(parts)));
  }

  absl::StatusOr<NodePtr> MapKey() {
    const Token key = Current();
    if (IsBracket("(")) return Whole();
    if (key.kind != Token::Kind::kName && key.kind != Token::Kind::kString &&
        key.kind != Token::Kind::kNumber) {
      return Unexpected();
    }
    Take();
    return MakeLiteral(key.column, Value(key.text));
  }

  absl::StatusOr<NodePtr> Call(const Token& name,
                               std::vector<NodePtr> arguments) {
    RK_RETURN_IF_ERROR(CheckFunction(name));
    RK_RETURN_IF_ERROR(Expect(Token::Kind::kBracket, "("));
    const size_t piped = arguments.size();
    while (!IsBracket(")")) {
      if (arguments.size() > piped) {
        RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, ","));
        if (IsBracket(")")) break;
      }
      const bool predicate = TakesPredicate(name.text) && arguments.size() == 1;
      RK_ASSIGN_OR_RETURN(NodePtr argument, predicate ? Predicate() : Whole());
      arguments.push_back(std::move(argument));
    }
    Take();
    RK_RETURN_IF_ERROR(CheckArgumentCount(name, arguments.size()));
    return Make(Kind::kCall, name.column, name.text, std::move(arguments));
  }

  absl::Status CheckFunction(const Token& name) const {
    if (IsFunction(name.text)) return absl::OkStatus();
    const std::optional<std::string> nearest =
        NearestName(name.text, FunctionNames());
    const absl::Status error = ErrorAt(
        name.column,
        absl::StrCat("there is no function '", name.text, "'",
                     nearest.has_value()
                         ? absl::StrCat("; did you mean '", *nearest, "'?")
                         : ""));
    // Argo may have it: sprig has some hundred.
    return absl::StartsWith(name.text, "sprig.")
               ? absl::UnimplementedError(error.message())
               : error;
  }

  absl::Status CheckArgumentCount(const Token& name, size_t count) const {
    const auto [least, most] = ArgumentCount(name.text);
    if (count >= least && count <= most) return absl::OkStatus();
    return ErrorAt(name.column,
                   absl::StrCat("'", name.text, "' does not take ", count,
                                count == 1 ? " argument" : " arguments"));
  }

  absl::StatusOr<NodePtr> Predicate() {
    const int column = Current().column;
    ++predicates_;
    absl::StatusOr<NodePtr> body = IsBracket("{") ? Block() : Whole();
    --predicates_;
    RK_RETURN_IF_ERROR(body.status());
    return Make(Kind::kPredicate, column, "", {*std::move(body)});
  }

  absl::StatusOr<NodePtr> Postfix(NodePtr node) {
    while (true) {
      if (IsOperator(".") || IsOperator("?.")) {
        const bool optional = Take().text == "?.";
        if (optional && IsBracket("[")) {
          RK_ASSIGN_OR_RETURN(node, Index(std::move(node), true));
        } else {
          RK_ASSIGN_OR_RETURN(node, Member(std::move(node), optional));
        }
      } else if (IsBracket("[")) {
        RK_ASSIGN_OR_RETURN(node, Index(std::move(node), false));
      } else {
        return node;
      }
    }
  }

  // `a?.b.c` is nil as a whole when `a` is: what follows a chain joins it.
  static NodePtr Unchained(const NodePtr& node) {
    return node->kind == Kind::kChain ? node->children[0] : node;
  }
  static NodePtr Chained(NodePtr node, bool chained) {
    const int column = node->column;
    return chained ? Make(Kind::kChain, column, "", {std::move(node)}) : node;
  }

  absl::StatusOr<NodePtr> Member(NodePtr base, bool optional) {
    const Token name = Take();
    const bool word = name.kind == Token::Kind::kOperator &&
                      absl::ascii_isalpha(name.text[0]);
    if (name.kind != Token::Kind::kName && !word) {
      return ErrorAt(name.column, "a name must follow '.'");
    }
    const bool chained = optional || base->kind == Kind::kChain;
    NodePtr inner = Unchained(base);
    if (!IsBracket("(")) {
      return Chained(
          Make(Kind::kMember, name.column, "",
               {inner, MakeLiteral(name.column, Value(name.text))}, optional),
          chained);
    }
    if (!IsMethod(name.text)) {
      return ErrorAt(name.column,
                     absl::StrCat("there is no method '", name.text, "'"));
    }
    std::vector<NodePtr> parts = {inner};
    Take();
    while (!IsBracket(")")) {
      if (parts.size() > 1) {
        RK_RETURN_IF_ERROR(Expect(Token::Kind::kOperator, ","));
      }
      RK_ASSIGN_OR_RETURN(NodePtr argument, Whole());
      parts.push_back(std::move(argument));
    }
    Take();
    return Chained(
        Make(Kind::kMethod, name.column, name.text, std::move(parts), optional),
        chained);
  }

  absl::StatusOr<NodePtr> Index(NodePtr base, bool optional) {
    const int column = Take().column;
    NodePtr from;
    if (!IsOperator(":")) {
      RK_ASSIGN_OR_RETURN(from, Whole());
    }
    if (!TakeOperator(":")) {
      RK_RETURN_IF_ERROR(Expect(Token::Kind::kBracket, "]"));
      const bool chained = optional;
      return Chained(Make(Kind::kMember, column, "", {base, from}, optional),
                     chained);
    }
    NodePtr to;
    if (!IsBracket("]")) {
      RK_ASSIGN_OR_RETURN(to, Whole());
    }
    RK_RETURN_IF_ERROR(Expect(Token::Kind::kBracket, "]"));
    return Make(Kind::kSlice, column, "", {base, from, to});
  }

  const std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int predicates_ = 0;
};

}  // namespace

absl::StatusOr<NodePtr> ParseExpression(absl::string_view text) {
  RK_ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  return Parser(std::move(tokens)).Run();
}

}  // namespace rekindle::argo

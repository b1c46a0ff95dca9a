#include <cerrno>
#include <cstdint>
#include <cstdlib>
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
#include "operator/expression/functions/functions.h"
#include "operator/expression/grammar.h"
#include "operator/expression/lexer.h"

// Literals, names and calls, with the members and indexes behind them.
namespace rekindle::argo {
namespace {

using Kind = ExpressionNode::Kind;

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
  return ErrorAt(token.column, absl::StrCat("'", token.text, "' is no number"));
}

absl::Status CheckFunction(const Token& name) {
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

absl::Status CheckArgumentCount(const Token& name, size_t count) {
  const auto [least, most] = ArgumentCount(name.text);
  if (count >= least && count <= most) return absl::OkStatus();
  return ErrorAt(name.column,
                 absl::StrCat("'", name.text, "' does not take ", count,
                              count == 1 ? " argument" : " arguments"));
}

// `a?.b.c` is nil as a whole when `a` is: what follows a chain joins it.
NodePtr Unchained(const NodePtr& node) {
  return node->kind == Kind::kChain ? node->children[0] : node;
}
NodePtr Chained(NodePtr node, bool chained) {
  const int column = node->column;
  return chained ? MakeNode(Kind::kChain, column, "", {std::move(node)}) : node;
}

}  // namespace

// `#`, `#index`, `#acc`, and `.name` for `#.name`, inside a predicate.
absl::StatusOr<NodePtr> Grammar::PointerOrError() {
  const bool pointer = tokens_.IsOperator("#") || tokens_.IsOperator(".");
  if (!pointer || predicates_ == 0) return tokens_.Unexpected();
  const int column = tokens_.Current().column;
  std::string name;
  if (tokens_.TakeOperator("#") &&
      tokens_.Current().kind == Token::Kind::kName) {
    name = tokens_.Take().text;
    if (name != "index" && name != "acc") {
      return ErrorAt(column, absl::StrCat("'#", name,
                                          "' means nothing; "
                                          "there are #, #index and #acc"));
    }
  }
  return Postfix(MakeNode(Kind::kPointer, column, name, {}));
}

absl::StatusOr<NodePtr> Grammar::Atom() {
  const Token token = tokens_.Current();
  switch (token.kind) {
    case Token::Kind::kNumber:
      tokens_.Take();
      return Number(token);
    case Token::Kind::kString:
      tokens_.Take();
      return Postfix(MakeLiteral(token.column, Value(token.text)));
    case Token::Kind::kName:
      tokens_.Take();
      return NameOrCall(token);
    default:
      break;
  }
  if (tokens_.IsBracket("[")) return List();
  if (tokens_.IsBracket("{")) return Map();
  return tokens_.Unexpected();
}

absl::StatusOr<NodePtr> Grammar::NameOrCall(const Token& name) {
  if (name.text == "true" || name.text == "false") {
    return MakeLiteral(name.column, Value(name.text == "true"));
  }
  if (name.text == "nil") return MakeLiteral(name.column, Value());
  if (tokens_.IsBracket("(")) {
    RK_ASSIGN_OR_RETURN(NodePtr call, Call(name, {}));
    return Postfix(std::move(call));
  }
  if (name.text == "sprig" && tokens_.IsOperator(".")) {
    tokens_.Take();
    const Token function = tokens_.Take();
    RK_ASSIGN_OR_RETURN(
        NodePtr call, Call({Token::Kind::kName,
                            absl::StrCat("sprig.", function.text), name.column},
                           {}));
    return Postfix(std::move(call));
  }
  return Postfix(MakeNode(Kind::kName, name.column, name.text, {}));
}

absl::StatusOr<NodePtr> Grammar::List() {
  const int column = tokens_.Take().column;
  std::vector<NodePtr> items;
  while (!tokens_.IsBracket("]")) {
    if (!items.empty()) {
      RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, ","));
      if (tokens_.IsBracket("]")) break;
    }
    RK_ASSIGN_OR_RETURN(NodePtr item, Whole());
    items.push_back(std::move(item));
  }
  tokens_.Take();
  return Postfix(MakeNode(Kind::kList, column, "", std::move(items)));
}

absl::StatusOr<NodePtr> Grammar::Map() {
  const int column = tokens_.Take().column;
  std::vector<NodePtr> parts;
  while (!tokens_.IsBracket("}")) {
    if (!parts.empty()) {
      RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, ","));
      if (tokens_.IsBracket("}")) break;
    }
    RK_ASSIGN_OR_RETURN(NodePtr key, MapKey());
    RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, ":"));
    RK_ASSIGN_OR_RETURN(NodePtr value, Whole());
    parts.push_back(std::move(key));
    parts.push_back(std::move(value));
  }
  tokens_.Take();
  return Postfix(MakeNode(Kind::kMap, column, "", std::move(parts)));
}

absl::StatusOr<NodePtr> Grammar::MapKey() {
  const Token key = tokens_.Current();
  if (tokens_.IsBracket("(")) return Whole();
  if (key.kind != Token::Kind::kName && key.kind != Token::Kind::kString &&
      key.kind != Token::Kind::kNumber) {
    return tokens_.Unexpected();
  }
  tokens_.Take();
  return MakeLiteral(key.column, Value(key.text));
}

absl::StatusOr<NodePtr> Grammar::Call(const Token& name,
                                      std::vector<NodePtr> arguments) {
  RK_RETURN_IF_ERROR(CheckFunction(name));
  RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kBracket, "("));
  const size_t piped = arguments.size();
  while (!tokens_.IsBracket(")")) {
    if (arguments.size() > piped) {
      RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, ","));
      if (tokens_.IsBracket(")")) break;
    }
    const bool predicate = TakesPredicate(name.text) && arguments.size() == 1;
    RK_ASSIGN_OR_RETURN(NodePtr argument, predicate ? Predicate() : Whole());
    arguments.push_back(std::move(argument));
  }
  tokens_.Take();
  RK_RETURN_IF_ERROR(CheckArgumentCount(name, arguments.size()));
  return MakeNode(Kind::kCall, name.column, name.text, std::move(arguments));
}

absl::StatusOr<NodePtr> Grammar::Predicate() {
  const int column = tokens_.Current().column;
  ++predicates_;
  absl::StatusOr<NodePtr> body = tokens_.IsBracket("{") ? Block() : Whole();
  --predicates_;
  RK_RETURN_IF_ERROR(body.status());
  return MakeNode(Kind::kPredicate, column, "", {*std::move(body)});
}

absl::StatusOr<NodePtr> Grammar::Postfix(NodePtr node) {
  while (true) {
    if (tokens_.IsOperator(".") || tokens_.IsOperator("?.")) {
      const bool optional = tokens_.Take().text == "?.";
      if (optional && tokens_.IsBracket("[")) {
        RK_ASSIGN_OR_RETURN(node, Index(node, true));
      } else {
        RK_ASSIGN_OR_RETURN(node, Member(node, optional));
      }
    } else if (tokens_.IsBracket("[")) {
      RK_ASSIGN_OR_RETURN(node, Index(node, false));
    } else {
      return node;
    }
  }
}

absl::StatusOr<NodePtr> Grammar::Member(const NodePtr& base, bool optional) {
  const Token name = tokens_.Take();
  const bool word =
      name.kind == Token::Kind::kOperator && absl::ascii_isalpha(name.text[0]);
  if (name.kind != Token::Kind::kName && !word) {
    return ErrorAt(name.column, "a name must follow '.'");
  }
  const bool chained = optional || base->kind == Kind::kChain;
  NodePtr inner = Unchained(base);
  if (tokens_.IsBracket("(")) {
    RK_ASSIGN_OR_RETURN(NodePtr call, Method(std::move(inner), name, optional));
    return Chained(std::move(call), chained);
  }
  return Chained(
      MakeNode(Kind::kMember, name.column, "",
               {inner, MakeLiteral(name.column, Value(name.text))}, optional),
      chained);
}

absl::StatusOr<NodePtr> Grammar::Method(NodePtr base, const Token& name,
                                        bool optional) {
  if (!IsMethod(name.text)) {
    return ErrorAt(name.column,
                   absl::StrCat("there is no method '", name.text, "'"));
  }
  std::vector<NodePtr> parts = {std::move(base)};
  tokens_.Take();
  while (!tokens_.IsBracket(")")) {
    if (parts.size() > 1) {
      RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kOperator, ","));
    }
    RK_ASSIGN_OR_RETURN(NodePtr argument, Whole());
    parts.push_back(std::move(argument));
  }
  tokens_.Take();
  return MakeNode(Kind::kMethod, name.column, name.text, std::move(parts),
                  optional);
}

absl::StatusOr<NodePtr> Grammar::Index(const NodePtr& base, bool optional) {
  const int column = tokens_.Take().column;
  NodePtr from;
  if (!tokens_.IsOperator(":")) {
    RK_ASSIGN_OR_RETURN(from, Whole());
  }
  if (!tokens_.TakeOperator(":")) {
    RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kBracket, "]"));
    return Chained(MakeNode(Kind::kMember, column, "", {base, from}, optional),
                   optional);
  }
  NodePtr to;
  if (!tokens_.IsBracket("]")) {
    RK_ASSIGN_OR_RETURN(to, Whole());
  }
  RK_RETURN_IF_ERROR(tokens_.Expect(Token::Kind::kBracket, "]"));
  return MakeNode(Kind::kSlice, column, "", {base, from, to});
}

}  // namespace rekindle::argo

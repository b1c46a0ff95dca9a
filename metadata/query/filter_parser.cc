#include "metadata/query/filter_parser.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/query/filter_lexer.h"

namespace rekindle {
namespace {

using ExprKind = FilterExpr::Kind;
using TokenKind = FilterToken::Kind;

// Deeper nesting is refused before it meets a limit of the stack or of SQLite.
constexpr int kMaxDepth = 100;

constexpr absl::string_view kKeywords[] = {
    "AND", "OR", "NOT", "IN", "LIKE", "IS", "BETWEEN", "NULL", "TRUE", "FALSE"};

class Parser {
 public:
  Parser(absl::string_view text, std::vector<FilterToken> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  absl::StatusOr<FilterExprPtr> Run() {
    RK_ASSIGN_OR_RETURN(FilterExprPtr filter, Filter());
    if (Token().kind != TokenKind::kEnd) {
      return Error("expected AND, OR or the end");
    }
    return filter;
  }

 private:
  using Rule = absl::StatusOr<FilterExprPtr> (Parser::*)();

  const FilterToken& Token(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  absl::Status Error(absl::string_view problem) const {
    return FilterError(text_, Token().position, problem);
  }

  // --- tokens ---------------------------------------------------------------

  bool IsWord(absl::string_view word, size_t ahead = 0) const {
    return Token(ahead).kind == TokenKind::kName &&
           absl::EqualsIgnoreCase(Token(ahead).text, word);
  }
  bool IsSign(absl::string_view sign) const {
    return Token().kind == TokenKind::kSign && Token().text == sign;
  }
  bool IsKeyword() const {
    for (const absl::string_view keyword : kKeywords) {
      if (IsWord(keyword)) return true;
    }
    return false;
  }
  bool TakeWord(absl::string_view word) {
    if (!IsWord(word)) return false;
    ++at_;
    return true;
  }
  bool TakeSign(absl::string_view sign) {
    if (!IsSign(sign)) return false;
    ++at_;
    return true;
  }

  FilterExprPtr Make(ExprKind kind) const {
    auto expr = std::make_unique<FilterExpr>();
    expr->kind = kind;
    expr->position = Token().position;
    return expr;
  }

  // --- rules ----------------------------------------------------------------

  absl::StatusOr<FilterExprPtr> Filter() {
    return Chain("OR", ExprKind::kOr, &Parser::And);
  }
  absl::StatusOr<FilterExprPtr> And() {
    return Chain("AND", ExprKind::kAnd, &Parser::Not);
  }

  absl::StatusOr<FilterExprPtr> Chain(absl::string_view word, ExprKind kind,
                                      Rule rule) {
    FilterExprPtr chain = Make(kind);
    do {
      RK_ASSIGN_OR_RETURN(FilterExprPtr next, (this->*rule)());
      chain->operands.push_back(std::move(next));
    } while (TakeWord(word));
    if (chain->operands.size() > 1) return chain;
    return std::move(chain->operands.front());
  }

  absl::StatusOr<FilterExprPtr> Not() {
    if (!IsWord("NOT")) return Test();
    FilterExprPtr expr = Make(ExprKind::kNot);
    ++at_;
    RK_RETURN_IF_ERROR(Descend());
    RK_ASSIGN_OR_RETURN(FilterExprPtr operand, Not());
    --depth_;
    expr->operands.push_back(std::move(operand));
    return expr;
  }

  absl::StatusOr<FilterExprPtr> Test() {
    RK_ASSIGN_OR_RETURN(FilterExprPtr operand, Operand());
    for (const absl::string_view op : {"=", "!=", "<>", "<=", ">=", "<", ">"}) {
      if (IsSign(op)) return Compare(std::move(operand), op);
    }
    if (TakeWord("IS")) return Is(std::move(operand));
    const bool negated = IsWord("NOT");
    const size_t ahead = negated ? 1 : 0;
    for (const auto& [word, rule] :
         {std::pair("IN", &Parser::In), std::pair("LIKE", &Parser::Like),
          std::pair("BETWEEN", &Parser::Between)}) {
      if (!IsWord(word, ahead)) continue;
      at_ += ahead + 1;
      return (this->*rule)(std::move(operand), negated);
    }
    return operand;
  }

  absl::StatusOr<FilterExprPtr> Compare(FilterExprPtr left,
                                        absl::string_view op) {
    FilterExprPtr expr = Make(ExprKind::kCompare);
    expr->op = op == "<>" ? "!=" : std::string(op);
    ++at_;
    RK_ASSIGN_OR_RETURN(FilterExprPtr right, Operand());
    expr->operands.push_back(std::move(left));
    expr->operands.push_back(std::move(right));
    return expr;
  }

  absl::StatusOr<FilterExprPtr> Is(FilterExprPtr operand) {
    FilterExprPtr expr = Make(ExprKind::kIs);
    expr->negated = TakeWord("NOT");
    if (TakeWord("TRUE")) {
      expr->literal = true;
    } else if (TakeWord("FALSE")) {
      expr->literal = false;
    } else if (!TakeWord("NULL")) {
      return Error("expected NULL, TRUE or FALSE after IS");
    }
    expr->operands.push_back(std::move(operand));
    return expr;
  }

  absl::StatusOr<FilterExprPtr> In(FilterExprPtr operand, bool negated) {
    FilterExprPtr expr = Make(ExprKind::kIn);
    expr->negated = negated;
    expr->operands.push_back(std::move(operand));
    if (!TakeSign("(")) return Error("expected '(' after IN");
    do {
      RK_ASSIGN_OR_RETURN(FilterExprPtr item, Operand());
      expr->operands.push_back(std::move(item));
    } while (TakeSign(","));
    if (!TakeSign(")")) return Error("expected ',' or ')'");
    return expr;
  }

  absl::StatusOr<FilterExprPtr> Like(FilterExprPtr operand, bool negated) {
    FilterExprPtr expr = Make(ExprKind::kLike);
    expr->negated = negated;
    RK_ASSIGN_OR_RETURN(FilterExprPtr pattern, Operand());
    expr->operands.push_back(std::move(operand));
    expr->operands.push_back(std::move(pattern));
    return expr;
  }

  absl::StatusOr<FilterExprPtr> Between(FilterExprPtr operand, bool negated) {
    FilterExprPtr expr = Make(ExprKind::kBetween);
    expr->negated = negated;
    RK_ASSIGN_OR_RETURN(FilterExprPtr least, Operand());
    if (!TakeWord("AND")) return Error("expected AND after BETWEEN");
    RK_ASSIGN_OR_RETURN(FilterExprPtr greatest, Operand());
    expr->operands.push_back(std::move(operand));
    expr->operands.push_back(std::move(least));
    expr->operands.push_back(std::move(greatest));
    return expr;
  }

  absl::StatusOr<FilterExprPtr> Operand() {
    if (TakeSign("(")) return Group();
    if (IsSign("-") || IsSign("+")) return SignedNumber();
    FilterExprPtr expr = Make(ExprKind::kLiteral);
    switch (Token().kind) {
      case TokenKind::kString:
        expr->literal = Token().text;
        break;
      case TokenKind::kInteger:
        expr->literal = Token().integer;
        break;
      case TokenKind::kReal:
        expr->literal = Token().real;
        break;
      case TokenKind::kName:
      case TokenKind::kQuotedName:
        return Word();
      default:
        return Error("expected a field or a value");
    }
    ++at_;
    return expr;
  }

  absl::StatusOr<FilterExprPtr> Group() {
    RK_RETURN_IF_ERROR(Descend());
    RK_ASSIGN_OR_RETURN(FilterExprPtr filter, Filter());
    --depth_;
    if (!TakeSign(")")) return Error("expected ')'");
    return filter;
  }

  absl::StatusOr<FilterExprPtr> SignedNumber() {
    FilterExprPtr expr = Make(ExprKind::kLiteral);
    const int sign = IsSign("-") ? -1 : 1;
    ++at_;
    if (Token().kind == TokenKind::kInteger) {
      expr->literal = sign * Token().integer;
    } else if (Token().kind == TokenKind::kReal) {
      expr->literal = sign * Token().real;
    } else {
      return Error("expected a number after the sign");
    }
    ++at_;
    return expr;
  }

  absl::StatusOr<FilterExprPtr> Word() {
    FilterExprPtr expr = Make(ExprKind::kLiteral);
    if (TakeWord("NULL")) return expr;
    if (IsWord("TRUE") || IsWord("FALSE")) {
      expr->literal = IsWord("TRUE");
      ++at_;
      return expr;
    }
    if (IsKeyword()) return Error("expected a field or a value");
    expr->kind = ExprKind::kName;
    do {
      if (Token().kind != TokenKind::kName &&
          Token().kind != TokenKind::kQuotedName) {
        return Error("expected a name after '.'");
      }
      expr->name.push_back(Token().text);
      ++at_;
    } while (TakeSign("."));
    return expr;
  }

  absl::Status Descend() {
    if (++depth_ <= kMaxDepth) return absl::OkStatus();
    return Error("too deeply nested");
  }

  absl::string_view text_;
  std::vector<FilterToken> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

absl::StatusOr<FilterExprPtr> ParseFilter(absl::string_view filter) {
  RK_ASSIGN_OR_RETURN(std::vector<FilterToken> tokens, LexFilter(filter));
  return Parser(filter, std::move(tokens)).Run();
}

}  // namespace rekindle

#include "operator/expression/token_cursor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rekindle::argo {

TokenCursor::TokenCursor(std::vector<Token> tokens)
    : tokens_(std::move(tokens)) {}

const Token& TokenCursor::Next() const {
  return tokens_[std::min(at_ + 1, tokens_.size() - 1)];
}

Token TokenCursor::Take() {
  Token token = Current();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenCursor::IsOperator(absl::string_view text) const {
  return Current().Is(Token::Kind::kOperator, text);
}

bool TokenCursor::IsBracket(absl::string_view text) const {
  return Current().Is(Token::Kind::kBracket, text);
}

bool TokenCursor::TakeOperator(absl::string_view text) {
  const bool is = IsOperator(text);
  if (is) Take();
  return is;
}

absl::Status TokenCursor::Expect(Token::Kind kind, absl::string_view text) {
  if (!Current().Is(kind, text)) return Unexpected();
  Take();
  return absl::OkStatus();
}

absl::Status TokenCursor::Unexpected() const {
  if (Current().kind == Token::Kind::kEnd) {
    return ErrorAt(Current().column, "the expression ends too early");
  }
  return ErrorAt(Current().column,
                 absl::StrCat("unexpected '", Current().text, "'"));
}

}  // namespace rekindle::argo

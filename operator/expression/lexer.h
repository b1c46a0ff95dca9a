#ifndef REKINDLE_OPERATOR_EXPRESSION_LEXER_H_
#define REKINDLE_OPERATOR_EXPRESSION_LEXER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle::argo {

struct Token {
  enum class Kind { kName, kNumber, kString, kOperator, kBracket, kEnd };

  Kind kind = Kind::kEnd;
  std::string text;  // of a string: without quotes and escapes
  int column = 0;    // from 1, in bytes

  bool Is(Kind wanted, absl::string_view wanted_text) const {
    return kind == wanted && text == wanted_text;
  }
};

// The tokens of an expression, the last of them kEnd. The words `and`, `or`,
// `not`, `in`, `matches`, `contains`, `startsWith`, `endsWith`, `let`, `if` and
// `else` are operators.
//
//   INVALID_ARGUMENT  a character that begins no token, a string without an end
absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text);

// "column 3: `text` ..."; the error that the lexer, the parser and the
// evaluator share.
absl::Status ErrorAt(int column, absl::string_view message);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_EXPRESSION_LEXER_H_

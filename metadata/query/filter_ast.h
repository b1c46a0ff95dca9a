#ifndef REKINDLE_METADATA_QUERY_FILTER_AST_H_
#define REKINDLE_METADATA_QUERY_FILTER_AST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace rekindle {

// NULL, a truth value, a number or a string.
using FilterLiteral =
    std::variant<std::monostate, bool, int64_t, double, std::string>;

// A node of a parsed filter. What the operands are depends on the kind:
//
//   kLiteral   none; `literal`
//   kName      none; `name`, its parts between dots
//   kCompare   left, right; `op` is one of = != < <= > >=
//   kIn        the value, then the list; `negated` for NOT IN
//   kLike      the value, the pattern
//   kBetween   the value, the least, the greatest
//   kIs        the value; `literal` is NULL, true or false
//   kAnd, kOr  two or more
//   kNot       one
struct FilterExpr {
  enum class Kind {
    kLiteral,
    kName,
    kCompare,
    kIn,
    kLike,
    kBetween,
    kIs,
    kAnd,
    kOr,
    kNot,
  };

  Kind kind = Kind::kLiteral;
  size_t position = 0;  // in the text, from 0
  FilterLiteral literal = {};
  std::vector<std::string> name = {};
  std::string op = {};
  bool negated = false;
  std::vector<std::unique_ptr<FilterExpr>> operands = {};
};

using FilterExprPtr = std::unique_ptr<FilterExpr>;

}  // namespace rekindle

#endif  // REKINDLE_METADATA_QUERY_FILTER_AST_H_

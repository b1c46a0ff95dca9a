#ifndef REKINDLE_METADATA_QUERY_FILTER_PARSER_H_
#define REKINDLE_METADATA_QUERY_FILTER_PARSER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "metadata/query/filter_ast.h"

namespace rekindle {

// Parses a filter. What its names mean is not looked at.
//
//   filter  := and (OR and)*
//   and     := not (AND not)*
//   not     := NOT not | test
//   test    := operand [ (= | != | <> | < | <= | > | >=) operand
//                      | [NOT] IN ( operand (, operand)* )
//                      | [NOT] LIKE operand
//                      | [NOT] BETWEEN operand AND operand
//                      | IS [NOT] (NULL | TRUE | FALSE) ]
//   operand := string | [-] number | TRUE | FALSE | NULL | name (. name)*
//            | ( filter )
//
//   INVALID_ARGUMENT  it is not a filter; the message points at the character
absl::StatusOr<FilterExprPtr> ParseFilter(absl::string_view filter);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_QUERY_FILTER_PARSER_H_

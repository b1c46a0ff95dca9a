#ifndef REKINDLE_METADATA_QUERY_FILTER_TO_SQL_H_
#define REKINDLE_METADATA_QUERY_FILTER_TO_SQL_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "metadata/query/filter_ast.h"
#include "metadata/query/filter_fields.h"
#include "metadata/sqlite/sql_fragment.h"

namespace rekindle {

// A filter as parts of a query over a node's table named `n`:
//
//   SELECT [DISTINCT] ... FROM Artifact n <joins> WHERE <condition>
//
// docs/filter-language.md says what a filter means.
struct SqlFilter {
  SqlFragment joins;
  SqlFragment condition;
  // Whether a node may come more than once: it has many neighbours.
  bool repeats = false;
};

// Translates a filter on nodes of the kind.
//
//   INVALID_ARGUMENT  it does not parse, names what is not there, or compares
//                     what cannot be compared; the message points at it
absl::StatusOr<SqlFilter> FilterToSql(absl::string_view filter,
                                      FilterTarget target);

// The same for one that is parsed already, from `text`.
absl::StatusOr<SqlFilter> FilterToSql(const FilterExpr& filter,
                                      absl::string_view text,
                                      FilterTarget target);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_QUERY_FILTER_TO_SQL_H_

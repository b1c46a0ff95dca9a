#ifndef REKINDLE_METADATA_QUERY_FILTER_FACTS_H_
#define REKINDLE_METADATA_QUERY_FILTER_FACTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "metadata/query/filter_ast.h"

namespace rekindle {

// What is true of every artifact that a filter passes, as far as it is said
// plainly: by equalities that the filter joins by AND. A plan may start from
// these and must still apply the filter.
struct ArtifactFacts {
  struct Context {
    std::optional<int64_t> id;
    std::optional<std::string> type;
    std::optional<std::string> name;
  };

  std::optional<int64_t> type_id;
  std::optional<std::string> type;
  std::optional<int64_t> state;
  std::map<std::string, Context> contexts;  // by alias, each of one context
};

// Reads the facts out of a filter on artifacts.
ArtifactFacts FactsOf(const FilterExpr& filter);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_QUERY_FILTER_FACTS_H_

#ifndef REKINDLE_METADATA_QUERY_FILTER_FIELDS_H_
#define REKINDLE_METADATA_QUERY_FILTER_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/descriptor.h"

namespace rekindle {

// What a filter chooses among.
enum class FilterTarget { kArtifact, kExecution, kContext };

enum class FilterType { kNull, kBool, kInt, kDouble, kString, kEnum };

// A field that a filter may name.
struct FilterField {
  absl::string_view name;
  FilterType type;
  // The column, of the table of the node.
  absl::string_view column;
  // Of type kEnum: its values.
  const google::protobuf::EnumDescriptor* (*values)() = nullptr;
};

// The fields of a kind of node, in the order of the documentation. `type` is
// the name of its type and has the column `type_name`.
absl::Span<const FilterField> NodeFields(FilterTarget target);

// Something next to a node, which a filter names with an alias of its own
// choice: contexts_<alias>.
struct FilterNeighbour {
  absl::string_view prefix;  // "contexts_"
  // A query of all neighbours of all nodes: the column `node` is the id of the
  // node, the others are those of `fields`.
  std::string sql;
  absl::Span<const FilterField> fields;
};

absl::Span<const FilterNeighbour> NeighboursOf(FilterTarget target);

// The kinds of values of a property: int_value and so on.
absl::Span<const FilterField> PropertyFields();

}  // namespace rekindle

#endif  // REKINDLE_METADATA_QUERY_FILTER_FIELDS_H_

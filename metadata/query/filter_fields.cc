#include "metadata/query/filter_fields.h"

#include "absl/strings/str_cat.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using Type = FilterType;

#define RK_COMMON_FIELDS                                                       \
  {"id", Type::kInt, "id"}, {"type_id", Type::kInt, "type_id"},                \
      {"type", Type::kString, "type_name"}, {"name", Type::kString, "name"},   \
      {"external_id", Type::kString, "external_id"},                           \
      {"create_time_since_epoch", Type::kInt, "create_time_since_epoch"}, {    \
    "last_update_time_since_epoch", Type::kInt, "last_update_time_since_epoch" \
  }

constexpr FilterField kArtifactFields[] = {
    RK_COMMON_FIELDS,
    {"uri", Type::kString, "uri"},
    {"state", Type::kEnum, "state", &ml_metadata::Artifact::State_descriptor},
};
constexpr FilterField kExecutionFields[] = {
    RK_COMMON_FIELDS,
    {"last_known_state", Type::kEnum, "last_known_state",
     &ml_metadata::Execution::State_descriptor},
};
constexpr FilterField kContextFields[] = {RK_COMMON_FIELDS};

#undef RK_COMMON_FIELDS

constexpr FilterField kEventOfArtifactFields[] = {
    {"type", Type::kEnum, "type", &ml_metadata::Event::Type_descriptor},
    {"milliseconds_since_epoch", Type::kInt, "milliseconds_since_epoch"},
    {"execution_id", Type::kInt, "execution_id"},
};
constexpr FilterField kEventOfExecutionFields[] = {
    {"type", Type::kEnum, "type", &ml_metadata::Event::Type_descriptor},
    {"milliseconds_since_epoch", Type::kInt, "milliseconds_since_epoch"},
    {"artifact_id", Type::kInt, "artifact_id"},
};

constexpr FilterField kPropertyFields[] = {
    {"int_value", Type::kInt, "int_value"},
    {"double_value", Type::kDouble, "double_value"},
    {"string_value", Type::kString, "string_value"},
    {"bool_value", Type::kBool, "bool_value"},
};

// The nodes in `table`, each beside the node that `edges` joins it to.
std::string Joined(absl::string_view edges, absl::string_view node_column,
                   absl::string_view table, absl::string_view table_column) {
  return absl::StrCat("SELECT e.", node_column, " AS node, x.*, ",
                      "t.name AS type_name FROM ", edges, " e JOIN ", table,
                      " x ON x.id = e.", table_column,
                      " JOIN Type t ON t.id = x.type_id");
}

std::string Events(absl::string_view node_column,
                   absl::string_view other_column) {
  return absl::StrCat("SELECT ", node_column, " AS node, type, ",
                      "milliseconds_since_epoch, ", other_column,
                      " FROM Event");
}

}  // namespace

absl::Span<const FilterField> NodeFields(FilterTarget target) {
  switch (target) {
    case FilterTarget::kArtifact:
      return kArtifactFields;
    case FilterTarget::kExecution:
      return kExecutionFields;
    case FilterTarget::kContext:
      return kContextFields;
  }
  return {};
}

absl::Span<const FilterNeighbour> NeighboursOf(FilterTarget target) {
  static const auto* const kOfArtifacts = new std::vector<FilterNeighbour>{
      {"contexts_",
       Joined("Attribution", "artifact_id", "Context", "context_id"),
       kContextFields},
      {"events_", Events("artifact_id", "execution_id"),
       kEventOfArtifactFields}};
  static const auto* const kOfExecutions = new std::vector<FilterNeighbour>{
      {"contexts_",
       Joined("Association", "execution_id", "Context", "context_id"),
       kContextFields},
      {"events_", Events("execution_id", "artifact_id"),
       kEventOfExecutionFields}};
  static const auto* const kOfContexts = new std::vector<FilterNeighbour>{
      {"parent_contexts_",
       Joined("ParentContext", "context_id", "Context", "parent_context_id"),
       kContextFields},
      {"child_contexts_",
       Joined("ParentContext", "parent_context_id", "Context", "context_id"),
       kContextFields},
      {"artifacts_",
       Joined("Attribution", "context_id", "Artifact", "artifact_id"),
       kArtifactFields},
      {"executions_",
       Joined("Association", "context_id", "Execution", "execution_id"),
       kExecutionFields}};
  switch (target) {
    case FilterTarget::kArtifact:
      return *kOfArtifacts;
    case FilterTarget::kExecution:
      return *kOfExecutions;
    case FilterTarget::kContext:
      return *kOfContexts;
  }
  return {};
}

absl::Span<const FilterField> PropertyFields() { return kPropertyFields; }

}  // namespace rekindle

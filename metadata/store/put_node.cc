#include "metadata/store/put_node.h"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/store/declared_types.h"
#include "metadata/store/node_merge.h"
#include "metadata/store/node_table.h"
#include "metadata/store/property_rows.h"

namespace rekindle {
namespace {

using ::ml_metadata::PropertyType;
using ::ml_metadata::Value;

template <typename Node>
std::string Noun() {
  return std::string(NodeTraits<Node>::kNoun);
}

// --- checks -----------------------------------------------------------------

PropertyType TypeOfValue(const Value& value) {
  switch (value.value_case()) {
    case Value::kIntValue:
      return ml_metadata::INT;
    case Value::kDoubleValue:
      return ml_metadata::DOUBLE;
    case Value::kStringValue:
      return ml_metadata::STRING;
    case Value::kStructValue:
      return ml_metadata::STRUCT;
    case Value::kProtoValue:
      return ml_metadata::PROTO;
    case Value::kBoolValue:
      return ml_metadata::BOOLEAN;
    case Value::VALUE_NOT_SET:
      return ml_metadata::UNKNOWN;
  }
  return ml_metadata::UNKNOWN;
}

template <typename Node>
absl::Status CheckProperties(const Node& node, const DeclaredType& type) {
  for (const auto& [name, value] : node.properties()) {
    const auto declared = type.properties.find(name);
    if (declared == type.properties.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(Noun<Node>(), " type '", type.name,
                       "' declares no property '", name, "'"));
    }
    if (declared->second != TypeOfValue(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("property '", name, "' of ", Noun<Node>(), " type '",
                       type.name, "' is ", PropertyType_Name(declared->second),
                       ", not ", PropertyType_Name(TypeOfValue(value))));
    }
  }
  return absl::OkStatus();
}

template <typename Node>
absl::Status CheckName(const Node& node) {
  if constexpr (std::is_same_v<Node, ml_metadata::Context>) {
    if (node.name().empty()) {
      return absl::InvalidArgumentError("a context must have a name");
    }
  }
  return absl::OkStatus();
}

template <typename Node>
absl::Status Taken(const Node& node, const absl::Status& status) {
  if (!absl::IsAlreadyExists(status)) return status;
  return absl::AlreadyExistsError(
      absl::StrCat("another ", Noun<Node>(), " of type_id ", node.type_id(),
                   " has the name '", node.name(), "' or the external id '",
                   node.external_id(), "'"));
}

template <typename Node>
absl::StatusOr<const DeclaredType*> TypeOfNode(DeclaredTypes& types,
                                               const Node& node) {
  if (!node.has_type_id()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Noun<Node>(), " '", node.name(), "' has no type_id"));
  }
  RK_ASSIGN_OR_RETURN(const DeclaredType* type,
                      types.Find(NodeTraits<Node>::kKind, node.type_id()));
  if (type != nullptr) return type;
  return absl::NotFoundError(absl::StrCat("there is no ", Noun<Node>(),
                                          " type with id ", node.type_id()));
}

// --- writing ----------------------------------------------------------------

template <typename Field>
std::optional<absl::string_view> If(bool has, const Field& value) {
  return has ? std::optional<absl::string_view>(value) : std::nullopt;
}

template <typename Node>
StoredProperties PropertiesOf(const Node& node) {
  return {node.properties(), node.custom_properties()};
}

// When a node was made and last changed.
struct Times {
  int64_t created = 0;
  int64_t updated = 0;
};

// Without an id the next one is taken.
template <typename Node>
absl::StatusOr<int64_t> InsertRow(Database& db, std::optional<int64_t> id,
                                  const Node& node, const Times& times) {
  static const auto* const kSql = new std::string(
      absl::StrCat("INSERT INTO ", NodeTable<Node>::kTable,
                   " (id, type_id, name, external_id, create_time_since_epoch, "
                   "last_update_time_since_epoch",
                   NodeTable<Node>::kOwn, ") VALUES (?, ?, ?, ?, ?, ?",
                   NodeTable<Node>::kOwnParameters, ")"));
  RK_ASSIGN_OR_RETURN(Statement insert, db.Prepare(*kSql));
  insert.Bind(id, node.type_id(), If(node.has_name(), node.name()),
              If(node.has_external_id(), node.external_id()), times.created,
              times.updated);
  NodeTable<Node>::BindOwn(node, insert);
  RK_RETURN_IF_ERROR(Taken(node, insert.Run()));
  return db.last_insert_id();
}

// The row and all properties of a node that is not stored; returns its id.
template <typename Node>
absl::StatusOr<int64_t> InsertNode(Database& db, std::optional<int64_t> id,
                                   const Node& node, const Times& times) {
  RK_ASSIGN_OR_RETURN(const int64_t stored_id, InsertRow(db, id, node, times));
  RK_RETURN_IF_ERROR(WriteProperties(
      db, NodeTable<Node>::kProperties, stored_id,
      PropertiesOf(Node::default_instance()), PropertiesOf(node)));
  return stored_id;
}

template <typename Node>
absl::StatusOr<int64_t> CreateNode(Database& db, DeclaredTypes& types,
                                   const Node& given, int64_t now_millis) {
  RK_ASSIGN_OR_RETURN(const DeclaredType* type, TypeOfNode(types, given));
  RK_RETURN_IF_ERROR(CheckProperties(given, *type));
  RK_RETURN_IF_ERROR(CheckName(given));
  return InsertNode(db, /*id=*/std::nullopt, given, {now_millis, now_millis});
}

template <typename Node>
absl::Status UpdateRow(Database& db, const Node& node) {
  static const auto* const kSql = new std::string(absl::StrCat(
      "UPDATE ", NodeTable<Node>::kTable,
      " SET name = ?, external_id = ?, last_update_time_since_epoch = ?",
      NodeTable<Node>::kOwnUpdates, " WHERE id = ?"));
  RK_ASSIGN_OR_RETURN(Statement update, db.Prepare(*kSql));
  update.Bind(If(node.has_name(), node.name()),
              If(node.has_external_id(), node.external_id()),
              node.last_update_time_since_epoch());
  NodeTable<Node>::BindOwn(node, update);
  update.Bind(node.id());
  return Taken(node, update.Run());
}

template <typename Node>
absl::Status CheckSameVersion(const Node& stored, const Node& given) {
  if (stored.last_update_time_since_epoch() ==
      given.last_update_time_since_epoch()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      Noun<Node>(), " ", stored.id(), " was updated at ",
      stored.last_update_time_since_epoch(), ", not at ",
      given.last_update_time_since_epoch(), " as given; read it again"));
}

template <typename Node>
absl::StatusOr<Node> FindForUpdate(Database& db, const Node& given,
                                   const PutNodeOptions& options) {
  RK_ASSIGN_OR_RETURN(std::optional<Node> stored,
                      FindNode<Node>(db, given.id()));
  if (!stored.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no ", Noun<Node>(), " with id ", given.id()));
  }
  if (given.has_type_id() && given.type_id() != stored->type_id()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Noun<Node>(), " ", given.id(), " has type_id ",
                     stored->type_id(), ", not ", given.type_id()));
  }
  if (options.check_update_time) {
    RK_RETURN_IF_ERROR(CheckSameVersion(*stored, given));
  }
  return *std::move(stored);
}

template <typename Node>
absl::StatusOr<int64_t> UpdateNode(Database& db, DeclaredTypes& types,
                                   const Node& given,
                                   const PutNodeOptions& options) {
  RK_ASSIGN_OR_RETURN(const Node stored, FindForUpdate(db, given, options));
  Node wanted = MergeNode(stored, given, options.update_mask);
  RK_RETURN_IF_ERROR(CheckName(wanted));
  RK_ASSIGN_OR_RETURN(const DeclaredType* type, TypeOfNode(types, wanted));
  RK_RETURN_IF_ERROR(CheckProperties(wanted, *type));
  if (SameNode(stored, wanted) && !options.force_update_time) return given.id();

  // Two updates within a millisecond must not look like one to a writer that
  // compares times.
  wanted.set_last_update_time_since_epoch(
      std::max(options.now_millis, stored.last_update_time_since_epoch() + 1));
  RK_RETURN_IF_ERROR(UpdateRow(db, wanted));
  RK_RETURN_IF_ERROR(WriteProperties(db, NodeTable<Node>::kProperties,
                                     given.id(), PropertiesOf(stored),
                                     PropertiesOf(wanted)));
  return given.id();
}

template <typename Node>
absl::StatusOr<int64_t> PutNodeOf(Database& db, DeclaredTypes& types,
                                  const Node& node,
                                  const PutNodeOptions& options) {
  return node.has_id() ? UpdateNode(db, types, node, options)
                       : CreateNode(db, types, node, options.now_millis);
}

}  // namespace

template <typename Node>
absl::StatusOr<int64_t> PutNode(Database& db, const Node& node,
                                const PutNodeOptions& options) {
  DeclaredTypes types(db);
  return PutNodeOf(db, types, node, options);
}

template <typename Node>
absl::Status PutNodes(Database& db, const Nodes<Node>& nodes,
                      const PutNodeOptions& options,
                      google::protobuf::RepeatedField<int64_t>* ids) {
  DeclaredTypes types(db);
  for (const Node& node : nodes) {
    RK_ASSIGN_OR_RETURN(const int64_t id, PutNodeOf(db, types, node, options));
    ids->Add(id);
  }
  return absl::OkStatus();
}

template <typename Node>
absl::Status RestoreNode(Database& db, const Node& node) {
  return InsertNode(db, node.id(), node,
                    {node.create_time_since_epoch(),
                     node.last_update_time_since_epoch()})
      .status();
}

template <typename Node>
absl::Status CheckNodes(Database& db, const Nodes<Node>& nodes) {
  DeclaredTypes types(db);
  for (const Node& node : nodes) {
    if (!node.has_type_id()) return TypeOfNode(types, node).status();
  }
  for (const Node& node : nodes) {
    RK_RETURN_IF_ERROR(TypeOfNode(types, node).status());
  }
  for (const Node& node : nodes) {
    RK_ASSIGN_OR_RETURN(const DeclaredType* type, TypeOfNode(types, node));
    RK_RETURN_IF_ERROR(CheckProperties(node, *type));
  }
  return absl::OkStatus();
}

// A type cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define RK_INSTANTIATE(Node)                                                 \
  template absl::StatusOr<int64_t> PutNode(Database&, const Node&,           \
                                           const PutNodeOptions&);           \
  template absl::Status PutNodes(Database&, const Nodes<Node>&,              \
                                 const PutNodeOptions&,                      \
                                 google::protobuf::RepeatedField<int64_t>*); \
  template absl::Status RestoreNode(Database&, const Node&);                 \
  template absl::Status CheckNodes(Database&, const Nodes<Node>&)
// NOLINTEND(bugprone-macro-parentheses)

RK_INSTANTIATE(ml_metadata::Artifact);
RK_INSTANTIATE(ml_metadata::Execution);
RK_INSTANTIATE(ml_metadata::Context);

#undef RK_INSTANTIATE

}  // namespace rekindle

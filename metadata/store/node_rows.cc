#include "metadata/store/node_rows.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "metadata/store/among.h"
#include "metadata/store/declared_types.h"
#include "metadata/store/node_table.h"
#include "metadata/store/property_rows.h"

namespace rekindle {
namespace {

using ::google::protobuf::FieldMask;
using ::ml_metadata::PropertyType;
using ::ml_metadata::Value;

template <typename Node>
std::string Noun() {
  return std::string(NodeTraits<Node>::kNoun);
}

// --- reading ----------------------------------------------------------------

// Ends where a condition is to follow.
template <typename Node>
const std::string& SelectWhere() {
  static const auto* const kSql = new std::string(absl::StrCat(
      "SELECT n.id, n.type_id, n.name, n.external_id, "
      "n.create_time_since_epoch, n.last_update_time_since_epoch",
      NodeTable<Node>::kOwn, " FROM ", NodeTable<Node>::kTable, " n WHERE "));
  return *kSql;
}

template <typename Node>
void ReadRow(const Statement& row, Node& node) {
  node.set_id(row.Int(0));
  node.set_type_id(row.Int(1));
  if (!row.IsNull(2)) node.set_name(std::string(row.Text(2)));
  if (!row.IsNull(3)) node.set_external_id(std::string(row.Text(3)));
  node.set_create_time_since_epoch(row.Int(4));
  node.set_last_update_time_since_epoch(row.Int(5));
  NodeTable<Node>::ReadOwn(row, 6, &node);
}

// Names of types by their ids, each read once.
class TypeNames {
 public:
  explicit TypeNames(Database& db) : db_(db) {}

  // Null if there is no such type.
  absl::StatusOr<const std::string*> Find(int64_t id) {
    const auto known = names_.find(id);
    if (known != names_.end()) return &known->second;
    RK_ASSIGN_OR_RETURN(Statement row,
                        db_.Prepare("SELECT name FROM Type WHERE id = ?"));
    row.Bind(id);
    RK_ASSIGN_OR_RETURN(const bool found, row.Step());
    if (!found) return nullptr;
    return &names_.emplace(id, row.Text(0)).first->second;
  }

 private:
  Database& db_;
  absl::node_hash_map<int64_t, std::string> names_;
};

// Every node in `rows`, whose columns are those of SelectWhere and whose order
// is that of the ids.
template <typename Node>
absl::StatusOr<Nodes<Node>> ReadNodes(Database& db, Statement& rows) {
  Nodes<Node> nodes;
  std::vector<int64_t> ids;
  TypeNames types(db);
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) break;
    Node& node = *nodes.Add();
    ReadRow(rows, node);
    ids.push_back(node.id());
    RK_ASSIGN_OR_RETURN(const std::string* type, types.Find(node.type_id()));
    if (type != nullptr) node.set_type(*type);
  }
  RK_RETURN_IF_ERROR(ReadProperties(
      db, NodeTable<Node>::kProperties, ids, [&nodes](size_t place) {
        Node& node = nodes[static_cast<int>(place)];
        return Properties{node.mutable_properties(),
                          node.mutable_custom_properties()};
      }));
  return nodes;
}

template <typename Node>
absl::StatusOr<std::optional<Node>> ReadOne(Database& db, Statement& rows) {
  RK_ASSIGN_OR_RETURN(Nodes<Node> nodes, ReadNodes<Node>(db, rows));
  if (nodes.empty()) return std::nullopt;
  return std::move(nodes[0]);
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
bool SameNode(const Node& a, const Node& b) {
  return NodeTable<Node>::SameOwn(a, b) && a.name() == b.name() &&
         a.has_external_id() == b.has_external_id() &&
         a.external_id() == b.external_id() &&
         SameProperties(a.properties(), b.properties()) &&
         SameProperties(a.custom_properties(), b.custom_properties());
}

void CopyProperty(const PropertyMap& from, const std::string& name,
                  PropertyMap* into) {
  const auto found = from.find(name);
  if (found == from.end()) {
    into->erase(name);
  } else {
    (*into)[name] = found->second;
  }
}

// Copies the field at `path` from `given`; a path that names nothing that can
// change is ignored.
template <typename Node>
void ApplyPath(absl::string_view path, const Node& given, Node* into) {
  if (absl::ConsumePrefix(&path, "properties.")) {
    CopyProperty(given.properties(), std::string(path),
                 into->mutable_properties());
  } else if (absl::ConsumePrefix(&path, "custom_properties.")) {
    CopyProperty(given.custom_properties(), std::string(path),
                 into->mutable_custom_properties());
  } else if (path == "properties") {
    *into->mutable_properties() = given.properties();
  } else if (path == "custom_properties") {
    *into->mutable_custom_properties() = given.custom_properties();
  } else if (path == "external_id") {
    into->clear_external_id();
    if (given.has_external_id()) into->set_external_id(given.external_id());
  } else {
    NodeTable<Node>::CopyOwn(path, given, into);
  }
}

// The node as it is to be stored: `stored` with what `given` changes.
template <typename Node>
Node Merge(const Node& stored, const Node& given, const FieldMask& mask) {
  Node wanted = stored;
  for (const std::string& path : mask.paths()) ApplyPath(path, given, &wanted);
  if (!mask.paths().empty()) return wanted;
  for (const absl::string_view field : NodeTable<Node>::kOwnFields) {
    ApplyPath(field, given, &wanted);
  }
  for (const char* field : {"properties", "custom_properties", "external_id"}) {
    ApplyPath<Node>(field, given, &wanted);
  }
  return wanted;
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
  Node wanted = Merge(stored, given, options.update_mask);
  RK_RETURN_IF_ERROR(CheckName(wanted));
  RK_ASSIGN_OR_RETURN(const DeclaredType* type, TypeOfNode(types, wanted));
  RK_RETURN_IF_ERROR(CheckProperties(wanted, *type));
  if (SameNode(stored, wanted) && !options.force_update_time) return given.id();

  // Two updates within a millisecond must not look like one to a writer that
  // compares times.
  const int64_t floor = options.check_update_time
                            ? stored.last_update_time_since_epoch() + 1
                            : options.now_millis;
  wanted.set_last_update_time_since_epoch(std::max(options.now_millis, floor));
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

template <typename Node>
absl::StatusOr<Nodes<Node>> FindNodesWhere(Database& db,
                                           const SqlFragment& condition) {
  RK_ASSIGN_OR_RETURN(Statement rows, db.Prepare(absl::StrCat(
                                          SelectWhere<Node>(), condition.text(),
                                          " ORDER BY n.id")));
  condition.BindTo(rows);
  return ReadNodes<Node>(db, rows);
}

template <typename Node>
absl::StatusOr<Nodes<Node>> FindNodes(Database& db,
                                      absl::Span<const int64_t> ids) {
  return FindNodesWhere<Node>(db, Among("n.id", ids));
}

template <typename Node>
absl::StatusOr<std::optional<Node>> FindNode(Database& db, int64_t id) {
  RK_ASSIGN_OR_RETURN(Statement rows, db.Prepare(absl::StrCat(
                                          SelectWhere<Node>(), "n.id = ?")));
  rows.Bind(id);
  return ReadOne<Node>(db, rows);
}

template <typename Node>
absl::StatusOr<std::optional<Node>> FindNodeByName(Database& db,
                                                   int64_t type_id,
                                                   absl::string_view name) {
  RK_ASSIGN_OR_RETURN(Statement rows,
                      db.Prepare(absl::StrCat(SelectWhere<Node>(),
                                              "n.type_id = ? AND n.name = ?")));
  rows.Bind(type_id, name);
  return ReadOne<Node>(db, rows);
}

template <typename Node>
absl::StatusOr<std::optional<Node>> FindNodeByExternalId(
    Database& db, absl::string_view external_id) {
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(SelectWhere<Node>(), "n.external_id = ?")));
  rows.Bind(external_id);
  return ReadOne<Node>(db, rows);
}

absl::StatusOr<Nodes<ml_metadata::Artifact>> FindArtifactsByUri(
    Database& db, const std::string& uri) {
  return FindNodesWhere<ml_metadata::Artifact>(
      db, SqlFragment("n.uri = ").AddValue(uri));
}

template <typename Node>
absl::StatusOr<std::optional<int64_t>> FindNodeIdByName(
    Database& db, int64_t type_id, absl::string_view name) {
  static const auto* const kSql =
      new std::string(absl::StrCat("SELECT id FROM ", NodeTable<Node>::kTable,
                                   " WHERE type_id = ? AND name = ?"));
  RK_ASSIGN_OR_RETURN(Statement row, db.Prepare(*kSql));
  row.Bind(type_id, name);
  RK_ASSIGN_OR_RETURN(const bool found, row.Step());
  return found ? std::optional(row.Int(0)) : std::nullopt;
}

template <typename Node>
absl::StatusOr<bool> NodeExists(Database& db, int64_t id) {
  static const auto* const kSql = new std::string(
      absl::StrCat("SELECT 1 FROM ", NodeTable<Node>::kTable, " WHERE id = ?"));
  RK_ASSIGN_OR_RETURN(Statement row, db.Prepare(*kSql));
  row.Bind(id);
  return row.Step();
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
  template absl::Status CheckNodes(Database&, const Nodes<Node>&);           \
  template absl::StatusOr<Nodes<Node>> FindNodesWhere(Database&,             \
                                                      const SqlFragment&);   \
  template absl::StatusOr<Nodes<Node>> FindNodes(Database&,                  \
                                                 absl::Span<const int64_t>); \
  template absl::StatusOr<std::optional<Node>> FindNode(Database&, int64_t); \
  template absl::StatusOr<std::optional<Node>> FindNodeByName(               \
      Database&, int64_t, absl::string_view);                                \
  template absl::StatusOr<std::optional<Node>> FindNodeByExternalId(         \
      Database&, absl::string_view);                                         \
  template absl::StatusOr<std::optional<int64_t>> FindNodeIdByName<Node>(    \
      Database&, int64_t, absl::string_view);                                \
  template absl::StatusOr<bool> NodeExists<Node>(Database&, int64_t)
// NOLINTEND(bugprone-macro-parentheses)

RK_INSTANTIATE(ml_metadata::Artifact);
RK_INSTANTIATE(ml_metadata::Execution);
RK_INSTANTIATE(ml_metadata::Context);

#undef RK_INSTANTIATE

}  // namespace rekindle

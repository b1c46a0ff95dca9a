#include "metadata/store/node_rows.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/store/among.h"
#include "metadata/store/node_table.h"
#include "metadata/store/property_rows.h"

namespace rekindle {
namespace {

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

}  // namespace

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

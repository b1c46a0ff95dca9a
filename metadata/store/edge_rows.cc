#include "metadata/store/edge_rows.h"

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/sqlite/sql_fragment.h"
#include "metadata/store/among.h"
#include "metadata/store/node_rows.h"

namespace rekindle {
namespace {

using ::google::protobuf::RepeatedPtrField;
using ::ml_metadata::Artifact;
using ::ml_metadata::Association;
using ::ml_metadata::Attribution;
using ::ml_metadata::Context;
using ::ml_metadata::Execution;

template <typename Node>
absl::Status CheckStored(Database& db, int64_t id) {
  RK_ASSIGN_OR_RETURN(const bool exists, NodeExists<Node>(db, id));
  if (exists) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there is no ", NodeTraits<Node>::kNoun, " with id ", id));
}

absl::Status RunWithPair(Database& db, absl::string_view sql, int64_t first,
                         int64_t second) {
  RK_ASSIGN_OR_RETURN(Statement statement, db.Prepare(sql));
  statement.Bind(first, second);
  return statement.Run();
}

absl::StatusOr<std::vector<int64_t>> QueryIds(Database& db,
                                              absl::string_view sql,
                                              int64_t id) {
  RK_ASSIGN_OR_RETURN(Statement rows, db.Prepare(sql));
  rows.Bind(id);
  std::vector<int64_t> ids;
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return ids;
    ids.push_back(rows.Int(0));
  }
}

// Calls `found` with every node of `ids` and every context that holds it.
absl::Status ForEachMembership(
    Database& db, absl::string_view table, absl::string_view id_column,
    absl::Span<const int64_t> ids,
    absl::FunctionRef<void(int64_t node_id, int64_t context_id)> found) {
  const SqlFragment condition = Among(id_column, ids);
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat("SELECT ", id_column, ", context_id FROM ", table,
                              " WHERE ", condition.text(), " ORDER BY ",
                              id_column, ", context_id")));
  condition.BindTo(rows);
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return absl::OkStatus();
    found(rows.Int(0), rows.Int(1));
  }
}

// Whether `ancestor` is `context` or above it.
absl::StatusOr<bool> IsAtOrAbove(Database& db, int64_t ancestor,
                                 int64_t context) {
  RK_ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare("WITH RECURSIVE up(id) AS (SELECT ? UNION "
                 "SELECT p.parent_context_id FROM ParentContext p "
                 "JOIN up ON p.context_id = up.id) "
                 "SELECT 1 FROM up WHERE id = ?"));
  row.Bind(context, ancestor);
  return row.Step();
}

}  // namespace

absl::Status AddAttribution(Database& db, int64_t context_id,
                            int64_t artifact_id) {
  return RunWithPair(db,
                     "INSERT OR IGNORE INTO Attribution (context_id, "
                     "artifact_id) VALUES (?, ?)",
                     context_id, artifact_id);
}

absl::Status AddAssociation(Database& db, int64_t context_id,
                            int64_t execution_id) {
  return RunWithPair(db,
                     "INSERT OR IGNORE INTO Association (context_id, "
                     "execution_id) VALUES (?, ?)",
                     context_id, execution_id);
}

absl::Status PutAttribution(Database& db, int64_t context_id,
                            int64_t artifact_id) {
  RK_RETURN_IF_ERROR(CheckStored<Artifact>(db, artifact_id));
  RK_RETURN_IF_ERROR(CheckStored<Context>(db, context_id));
  return AddAttribution(db, context_id, artifact_id);
}

absl::Status PutAssociation(Database& db, int64_t context_id,
                            int64_t execution_id) {
  RK_RETURN_IF_ERROR(CheckStored<Execution>(db, execution_id));
  RK_RETURN_IF_ERROR(CheckStored<Context>(db, context_id));
  return AddAssociation(db, context_id, execution_id);
}

absl::Status PutParentContext(Database& db, int64_t child_id,
                              int64_t parent_id) {
  RK_RETURN_IF_ERROR(CheckStored<Context>(db, child_id));
  RK_RETURN_IF_ERROR(CheckStored<Context>(db, parent_id));
  RK_ASSIGN_OR_RETURN(const bool cycle, IsAtOrAbove(db, child_id, parent_id));
  if (cycle) {
    return absl::InvalidArgumentError(
        absl::StrCat("context ", parent_id, " cannot be the parent of context ",
                     child_id, ": that would be a cycle"));
  }
  absl::Status inserted =
      RunWithPair(db,
                  "INSERT INTO ParentContext (context_id, parent_context_id) "
                  "VALUES (?, ?)",
                  child_id, parent_id);
  if (!absl::IsAlreadyExists(inserted)) return inserted;
  return absl::AlreadyExistsError(absl::StrCat("context ", parent_id,
                                               " is the parent of context ",
                                               child_id, " already"));
}

absl::StatusOr<RepeatedPtrField<Attribution>> FindAttributions(
    Database& db, absl::Span<const int64_t> artifact_ids) {
  RepeatedPtrField<Attribution> edges;
  RK_RETURN_IF_ERROR(
      ForEachMembership(db, "Attribution", "artifact_id", artifact_ids,
                        [&](int64_t node_id, int64_t context_id) {
                          Attribution& edge = *edges.Add();
                          edge.set_artifact_id(node_id);
                          edge.set_context_id(context_id);
                        }));
  return edges;
}

absl::StatusOr<RepeatedPtrField<Association>> FindAssociations(
    Database& db, absl::Span<const int64_t> execution_ids) {
  RepeatedPtrField<Association> edges;
  RK_RETURN_IF_ERROR(
      ForEachMembership(db, "Association", "execution_id", execution_ids,
                        [&](int64_t node_id, int64_t context_id) {
                          Association& edge = *edges.Add();
                          edge.set_execution_id(node_id);
                          edge.set_context_id(context_id);
                        }));
  return edges;
}

absl::Status RemoveAssociation(Database& db, int64_t context_id,
                               int64_t execution_id) {
  return RunWithPair(
      db, "DELETE FROM Association WHERE context_id = ? AND execution_id = ?",
      context_id, execution_id);
}

absl::StatusOr<std::vector<int64_t>> ContextIdsOfArtifact(Database& db,
                                                          int64_t artifact_id) {
  return QueryIds(db,
                  "SELECT context_id FROM Attribution WHERE artifact_id = ? "
                  "ORDER BY context_id",
                  artifact_id);
}

absl::StatusOr<std::vector<int64_t>> ContextIdsOfExecution(
    Database& db, int64_t execution_id) {
  return QueryIds(db,
                  "SELECT context_id FROM Association WHERE execution_id = ? "
                  "ORDER BY context_id",
                  execution_id);
}

absl::StatusOr<std::vector<int64_t>> ParentContextIds(Database& db,
                                                      int64_t context_id) {
  return QueryIds(db,
                  "SELECT parent_context_id FROM ParentContext "
                  "WHERE context_id = ? ORDER BY parent_context_id",
                  context_id);
}

absl::StatusOr<std::vector<int64_t>> ChildContextIds(Database& db,
                                                     int64_t context_id) {
  return QueryIds(db,
                  "SELECT context_id FROM ParentContext "
                  "WHERE parent_context_id = ? ORDER BY context_id",
                  context_id);
}

}  // namespace rekindle

#include "metadata/store/latest.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/api/node_traits.h"
#include "metadata/query/filter_facts.h"
#include "metadata/sqlite/schema.h"

namespace rekindle {
namespace {

constexpr int64_t kNone = -1;  // the id of nothing that is stored

// Looks by using it, which costs less than asking for its name. An error of
// another kind will come again where it matters.
bool HasLatestTable(Database& db) {
  absl::StatusOr<Statement> row =
      db.Prepare(absl::StrCat("SELECT 1 FROM ", kLatestTable, " LIMIT 1"));
  return row.ok() && row->Step().ok();
}

// The only id among the rows, kNone if there is no row, nullopt if many.
absl::StatusOr<std::optional<int64_t>> OnlyId(Statement& rows) {
  RK_ASSIGN_OR_RETURN(const bool found, rows.Step());
  if (!found) return kNone;
  const int64_t id = rows.Int(0);
  RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
  return more ? std::nullopt : std::optional(id);
}

absl::StatusOr<std::optional<int64_t>> TypeId(Database& db,
                                              const ArtifactFacts& facts) {
  if (facts.type_id.has_value() || !facts.type.has_value()) {
    return facts.type_id;
  }
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare("SELECT id FROM Type WHERE type_kind = ? AND name = ?"));
  rows.Bind(NodeKind::kArtifact, *facts.type);
  return OnlyId(rows);
}

absl::StatusOr<std::optional<int64_t>> ContextId(
    Database& db, const ArtifactFacts::Context& facts) {
  if (facts.id.has_value()) return facts.id;
  if (!facts.type.has_value() || !facts.name.has_value()) return std::nullopt;
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare("SELECT c.id FROM Type t JOIN Context c ON c.type_id = t.id "
                 "WHERE t.type_kind = ? AND t.name = ? AND c.name = ?"));
  rows.Bind(NodeKind::kContext, *facts.type, *facts.name);
  return OnlyId(rows);
}

// Of any context that is known; the filter looks at the others.
absl::StatusOr<std::optional<int64_t>> ContextId(Database& db,
                                                 const ArtifactFacts& facts) {
  for (const auto& [alias, context] : facts.contexts) {
    RK_ASSIGN_OR_RETURN(const auto id, ContextId(db, context));
    if (id.has_value()) return id;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::optional<LatestKey>> FindLatestKey(
    Database& db, std::optional<int64_t> context_id,
    std::optional<int64_t> type_id, const FilterExpr& filter) {
  const ArtifactFacts facts = FactsOf(filter);
  if (!context_id.has_value()) {
    RK_ASSIGN_OR_RETURN(context_id, ContextId(db, facts));
  }
  if (!type_id.has_value()) {
    RK_ASSIGN_OR_RETURN(type_id, TypeId(db, facts));
  }
  if (!context_id.has_value() || !type_id.has_value()) return std::nullopt;
  if (!HasLatestTable(db)) return std::nullopt;
  return LatestKey{*context_id, *type_id, facts.state};
}

absl::StatusOr<bool> AreFew(Database& db, const LatestKey& key) {
  constexpr int64_t kFew = 1'000;
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          "SELECT count(*) FROM (SELECT 1 FROM ", kLatestTable,
          " WHERE context_id = ? AND type_id = ?",
          key.state.has_value() ? " AND state = ?" : "", " LIMIT ?)")));
  rows.Bind(key.context_id, key.type_id);
  if (key.state.has_value()) rows.Bind(*key.state);
  rows.Bind(kFew + 1);
  RK_RETURN_IF_ERROR(rows.Step().status());
  return rows.Int(0) <= kFew;
}

}  // namespace rekindle

#include "metadata/store/delete_rows.h"

#include <algorithm>
#include <string>
#include <vector>

#include <google/protobuf/repeated_field.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ::rekindle::v1::DeleteRequest;
using ::rekindle::v1::DeleteResponse;

// How many nodes a message names before it only counts them.
constexpr size_t kMaxNamed = 10;

// Ids as SQL takes a list of them: json_each(?).
std::string ToList(const google::protobuf::RepeatedField<int64_t>& ids) {
  return absl::StrCat("[", absl::StrJoin(ids, ","), "]");
}

struct Victims {
  explicit Victims(const DeleteRequest& request)
      : artifacts(ToList(request.artifact_ids())),
        executions(ToList(request.execution_ids())),
        contexts(ToList(request.context_ids())) {}

  std::string artifacts;
  std::string executions;
  std::string contexts;
};

std::string NameSome(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMaxNamed);
  std::string text = absl::StrJoin(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", ");
  if (shown < names.size()) {
    absl::StrAppend(&text, " and ", names.size() - shown, " more");
  }
  return text;
}

// The first column of every row, as text.
absl::StatusOr<std::vector<std::string>> Texts(Statement& rows) {
  std::vector<std::string> texts;
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return texts;
    texts.emplace_back(rows.Text(0));
  }
}

// --- what may be deleted -----------------------------------------------------

absl::Status CheckStored(Database& db, const Victims& victims) {
  RK_ASSIGN_OR_RETURN(
      Statement missing,
      db.Prepare("SELECT 'artifact ' || value FROM json_each(?) "
                 "WHERE value NOT IN (SELECT id FROM Artifact) UNION "
                 "SELECT 'execution ' || value FROM json_each(?) "
                 "WHERE value NOT IN (SELECT id FROM Execution) UNION "
                 "SELECT 'context ' || value FROM json_each(?) "
                 "WHERE value NOT IN (SELECT id FROM Context)"));
  missing.Bind(victims.artifacts, victims.executions, victims.contexts);
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> names, Texts(missing));
  if (names.empty()) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(NameSome(names),
                                          names.size() == 1 ? " is" : " are",
                                          " not stored; nothing was deleted"));
}

absl::Status CheckNotRunning(Database& db, const Victims& victims,
                             int64_t now_millis) {
  RK_ASSIGN_OR_RETURN(
      Statement running,
      db.Prepare("SELECT 'execution ' || e.id FROM Execution e "
                 "JOIN rk_lease l ON l.execution_id = e.id "
                 "WHERE e.id IN (SELECT value FROM json_each(?)) "
                 "AND e.last_known_state = ? AND l.expires_millis > ?"));
  running.Bind(victims.executions, ml_metadata::Execution::RUNNING, now_millis);
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> names, Texts(running));
  if (names.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      NameSome(names), names.size() == 1 ? " is" : " are",
      " being run; stop it, or wait for its lease to end; nothing was "
      "deleted"));
}

absl::Status CheckLineage(Database& db, const Victims& victims) {
  RK_ASSIGN_OR_RETURN(
      Statement uses,
      db.Prepare("SELECT DISTINCT 'execution ' || v.execution_id || "
                 "' used or made artifact ' || v.artifact_id "
                 "FROM Event v JOIN Execution e ON e.id = v.execution_id "
                 "WHERE v.artifact_id IN (SELECT value FROM json_each(?)) "
                 "AND v.execution_id NOT IN (SELECT value FROM json_each(?)) "
                 "ORDER BY v.artifact_id, v.execution_id"));
  uses.Bind(victims.artifacts, victims.executions);
  RK_ASSIGN_OR_RETURN(std::vector<std::string> reasons, Texts(uses));
  RK_ASSIGN_OR_RETURN(
      Statement members,
      db.Prepare(
          "SELECT 'artifact ' || artifact_id || ' is in context ' || "
          "context_id "
          "FROM Attribution WHERE context_id IN (SELECT value FROM "
          "json_each(?)) "
          "AND artifact_id NOT IN (SELECT value FROM json_each(?)) UNION ALL "
          "SELECT 'execution ' || execution_id || ' is in context ' || "
          "context_id "
          "FROM Association WHERE context_id IN (SELECT value FROM "
          "json_each(?)) "
          "AND execution_id NOT IN (SELECT value FROM json_each(?)) UNION ALL "
          "SELECT 'context ' || context_id || ' is below context ' || "
          "parent_context_id FROM ParentContext "
          "WHERE parent_context_id IN (SELECT value FROM json_each(?)) "
          "AND context_id NOT IN (SELECT value FROM json_each(?))"));
  members.Bind(victims.contexts, victims.artifacts, victims.contexts,
               victims.executions, victims.contexts, victims.contexts);
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> more, Texts(members));
  reasons.insert(reasons.end(), more.begin(), more.end());
  if (reasons.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      NameSome(reasons),
      "; delete these too, or ask to break the lineage; nothing was deleted"));
}

// --- deleting ---------------------------------------------------------------

// Rows that go with nodes of a kind, and where they are counted. $0 is the list
// of the nodes' ids.
struct Rows {
  absl::string_view table_where;
  void (DeleteResponse::*set_count)(int64_t);
  int64_t (DeleteResponse::*count)() const;
};

#define RK_COUNTED(field) &DeleteResponse::set_##field, &DeleteResponse::field
#define RK_NOT_COUNTED nullptr, nullptr

// Paths go before their events, memberships before their nodes: the triggers
// on Attribution look at the artifact.
constexpr Rows kWithArtifacts[] = {
    {"EventPath WHERE event_id IN (SELECT id FROM Event WHERE artifact_id IN "
     "$0)",
     RK_NOT_COUNTED},
    {"Event WHERE artifact_id IN $0", RK_COUNTED(events)},
    {"Attribution WHERE artifact_id IN $0", RK_COUNTED(attributions)},
    {"ArtifactProperty WHERE artifact_id IN $0", RK_COUNTED(properties)},
    {"Artifact WHERE id IN $0", RK_COUNTED(artifacts)},
};

constexpr Rows kWithExecutions[] = {
    {"EventPath WHERE event_id IN (SELECT id FROM Event WHERE execution_id IN "
     "$0)",
     RK_NOT_COUNTED},
    {"Event WHERE execution_id IN $0", RK_COUNTED(events)},
    {"Association WHERE execution_id IN $0", RK_COUNTED(associations)},
    {"ExecutionProperty WHERE execution_id IN $0", RK_COUNTED(properties)},
    {"rk_lease WHERE execution_id IN $0", RK_COUNTED(leases)},
    {"rk_work WHERE execution_id IN $0", RK_NOT_COUNTED},
    {"Execution WHERE id IN $0", RK_COUNTED(executions)},
};

constexpr Rows kWithContexts[] = {
    {"Attribution WHERE context_id IN $0", RK_COUNTED(attributions)},
    {"Association WHERE context_id IN $0", RK_COUNTED(associations)},
    {"ParentContext WHERE context_id IN $0", RK_COUNTED(parent_contexts)},
    {"ParentContext WHERE parent_context_id IN $0",
     RK_COUNTED(parent_contexts)},
    {"ContextProperty WHERE context_id IN $0", RK_COUNTED(properties)},
    {"Context WHERE id IN $0", RK_COUNTED(contexts)},
};

absl::Status DeleteAll(Database& db, absl::Span<const Rows> tables,
                       const std::string& ids, DeleteResponse& response) {
  for (const Rows& rows : tables) {
    RK_ASSIGN_OR_RETURN(
        Statement remove,
        db.Prepare(absl::StrCat(
            "DELETE FROM ",
            absl::Substitute(rows.table_where,
                             "(SELECT value FROM json_each(?))"))));
    remove.Bind(ids);
    RK_RETURN_IF_ERROR(remove.Run());
    if (rows.count == nullptr) continue;
    (response.*rows.set_count)((response.*rows.count)() + db.changes());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DeleteNodes(Database& db, const DeleteRequest& request,
                         int64_t now_millis, DeleteResponse& response) {
  if (request.artifact_ids().empty() && request.execution_ids().empty() &&
      request.context_ids().empty()) {
    return absl::InvalidArgumentError(
        "nothing to delete is named; give the ids of artifacts, executions or "
        "contexts");
  }
  const Victims victims(request);
  RK_RETURN_IF_ERROR(CheckStored(db, victims));
  RK_RETURN_IF_ERROR(CheckNotRunning(db, victims, now_millis));
  if (!request.break_lineage()) RK_RETURN_IF_ERROR(CheckLineage(db, victims));
  RK_RETURN_IF_ERROR(
      DeleteAll(db, kWithArtifacts, victims.artifacts, response));
  RK_RETURN_IF_ERROR(
      DeleteAll(db, kWithExecutions, victims.executions, response));
  return DeleteAll(db, kWithContexts, victims.contexts, response);
}

}  // namespace rekindle

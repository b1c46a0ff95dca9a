#include "metadata/store/verify.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "base/status_macros.h"
#include "metadata/sqlite/schema.h"
#include "metadata/store/step_rows.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ::rekindle::v1::Problem;
using ::rekindle::v1::VerifyRequest;
using ::rekindle::v1::VerifyResponse;

constexpr int kDefaultMaxProblems = 1'000;

// Takes problems until there are as many as were asked for.
class Report {
 public:
  Report(const VerifyRequest& request, VerifyResponse& response)
      : max_(request.max_problems() > 0 ? request.max_problems()
                                        : kDefaultMaxProblems),
        response_(response) {}

  bool full() const { return response_.truncated(); }

  void Add(Problem::Kind kind, int64_t id, absl::string_view message) {
    if (response_.problems_size() == max_) {
      response_.set_truncated(true);
      return;
    }
    Problem& problem = *response_.add_problems();
    problem.set_kind(kind);
    problem.set_id(id);
    problem.set_message(std::string(message));
  }

  // Adds a problem for each row of an id and a sentence.
  absl::Status AddRows(Problem::Kind kind, Statement& rows) {
    while (!full()) {
      RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
      if (!more) break;
      Add(kind, rows.Int(0), rows.Text(1));
    }
    return absl::OkStatus();
  }

 private:
  const int max_;
  VerifyResponse& response_;
};

// --- the file ---------------------------------------------------------------

absl::Status CheckIntegrity(Database& db, Report& report) {
  RK_ASSIGN_OR_RETURN(Statement check,
                      db.PrepareForNow("PRAGMA integrity_check"));
  while (!report.full()) {
    const absl::StatusOr<bool> more = check.Step();
    if (absl::IsDataLoss(more.status())) {
      report.Add(Problem::DAMAGED, 0,
                 absl::StrCat("the database cannot be read to its end: ",
                              more.status().message()));
      break;
    }
    RK_RETURN_IF_ERROR(more.status());
    if (!*more || check.Text(0) == "ok") break;
    report.Add(Problem::DAMAGED, 0,
               absl::StrCat("the database is damaged: ", check.Text(0)));
  }
  return absl::OkStatus();
}

// --- rows that point at nothing ---------------------------------------------

// A column that holds ids of another table's rows.
struct Reference {
  absl::string_view table;
  absl::string_view row_id;  // what tells rows of the table apart
  absl::string_view column;
  absl::string_view target;
  // Which rows of the target will do; empty for all.
  absl::string_view condition = "";
  Problem::Kind kind = Problem::DANGLING;
};

constexpr Reference kReferences[] = {
    {"TypeProperty", "type_id", "type_id", "Type"},
    {"ParentType", "type_id", "type_id", "Type"},
    {"ParentType", "type_id", "parent_type_id", "Type"},
    {"Artifact", "id", "type_id", "Type", "AND t.type_kind = 1"},
    {"Execution", "id", "type_id", "Type", "AND t.type_kind = 0"},
    {"Context", "id", "type_id", "Type", "AND t.type_kind = 2"},
    {"ArtifactProperty", "artifact_id", "artifact_id", "Artifact"},
    {"ExecutionProperty", "execution_id", "execution_id", "Execution"},
    {"ContextProperty", "context_id", "context_id", "Context"},
    {"Event", "id", "artifact_id", "Artifact"},
    {"Event", "id", "execution_id", "Execution"},
    {"EventPath", "event_id", "event_id", "Event"},
    {"Attribution", "id", "context_id", "Context"},
    {"Attribution", "id", "artifact_id", "Artifact"},
    {"Association", "id", "context_id", "Context"},
    {"Association", "id", "execution_id", "Execution"},
    {"ParentContext", "context_id", "context_id", "Context"},
    {"ParentContext", "context_id", "parent_context_id", "Context"},
};

absl::Status CheckReference(Database& db, const Reference& reference,
                            Report& report) {
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.PrepareForNow(absl::Substitute(
          "SELECT DISTINCT r.$1, 'a row of $0 with $1 ' || r.$1 || ' has $2 ' "
          "|| r.$2 || ', which is not stored' FROM $0 r "
          "WHERE NOT EXISTS (SELECT 1 FROM $3 t WHERE t.id = r.$2 $4) "
          "ORDER BY 1",
          reference.table, reference.row_id, reference.column, reference.target,
          reference.condition)));
  return report.AddRows(reference.kind, rows);
}

// --- tables of ours ---------------------------------------------------------

// A store that only others wrote has none of them, and nothing to check.
absl::Status CheckLatest(Database& db, Report& report) {
  constexpr absl::string_view kIndexed =
      "SELECT context_id, type_id, state, create_time, artifact_id FROM $0";
  constexpr absl::string_view kStored =
      "SELECT t.context_id AS context_id, a.type_id, ifnull(a.state, 0), "
      "a.create_time_since_epoch, a.id AS artifact_id FROM Attribution t "
      "JOIN Artifact a ON a.id = t.artifact_id";
  constexpr absl::string_view kDifference =
      "SELECT artifact_id, '$0 $1 artifact ' || artifact_id || ' of context ' "
      "|| context_id || '$2' FROM ($3 EXCEPT $4)";
  RK_ASSIGN_OR_RETURN(const bool has, HasTable(db, kLatestTable));
  if (!has) return absl::OkStatus();
  const std::string indexed = absl::Substitute(kIndexed, kLatestTable);
  RK_ASSIGN_OR_RETURN(Statement missing, db.PrepareForNow(absl::Substitute(
                                             kDifference, kLatestTable, "lacks",
                                             "", kStored, indexed)));
  RK_RETURN_IF_ERROR(report.AddRows(Problem::STALE_INDEX, missing));
  RK_ASSIGN_OR_RETURN(
      Statement stale,
      db.PrepareForNow(absl::Substitute(
          kDifference, kLatestTable, "has",
          " in another type, state or time than is stored", indexed, kStored)));
  return report.AddRows(Problem::STALE_INDEX, stale);
}

// A table of ours that says something of executions, if the store has it.
absl::StatusOr<bool> CheckOurTable(Database& db, absl::string_view table,
                                   Report& report) {
  RK_ASSIGN_OR_RETURN(const bool has, HasTable(db, table));
  if (has) {
    RK_RETURN_IF_ERROR(CheckReference(db,
                                      {table, "execution_id", "execution_id",
                                       "Execution", "", Problem::STALE_INDEX},
                                      report));
  }
  return has;
}

absl::Status CheckLeases(Database& db, int64_t now_millis, Report& report) {
  RK_RETURN_IF_ERROR(CheckOurTable(db, "rk_work", report).status());
  RK_ASSIGN_OR_RETURN(const bool has, CheckOurTable(db, "rk_lease", report));
  if (!has) return absl::OkStatus();
  // Only executions of steps have attempts: those of other writers are theirs.
  RK_ASSIGN_OR_RETURN(
      Statement left,
      db.Prepare("SELECT e.id, 'execution ' || e.id || ' is RUNNING, but its "
                 "lease has ended; run its step again to take it over' "
                 "FROM Execution e JOIN ExecutionProperty p "
                 "ON p.execution_id = e.id AND p.name = ? "
                 "AND p.is_custom_property "
                 "LEFT JOIN rk_lease l ON l.execution_id = e.id "
                 "WHERE e.last_known_state = ? "
                 "AND ifnull(l.expires_millis, 0) <= ? ORDER BY e.id"));
  left.Bind(kAttempts, ml_metadata::Execution::RUNNING, now_millis);
  return report.AddRows(Problem::LEFT_RUNNING, left);
}

}  // namespace

absl::Status VerifyStore(Database& db, const VerifyRequest& request,
                         int64_t now_millis, VerifyResponse& response) {
  if (request.max_problems() < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "max_problems must not be negative, not ", request.max_problems()));
  }
  Report report(request, response);
  RK_RETURN_IF_ERROR(CheckIntegrity(db, report));
  // What a damaged database holds says nothing.
  if (response.problems_size() > 0) return absl::OkStatus();
  for (const Reference& reference : kReferences) {
    RK_RETURN_IF_ERROR(CheckReference(db, reference, report));
  }
  RK_RETURN_IF_ERROR(CheckLatest(db, report));
  return CheckLeases(db, now_millis, report);
}

}  // namespace rekindle

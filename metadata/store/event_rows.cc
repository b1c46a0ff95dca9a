#include "metadata/store/event_rows.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/sqlite/sql_fragment.h"
#include "metadata/store/among.h"
#include "metadata/store/node_rows.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Event;

absl::Status CheckFields(const Event& event) {
  if (!event.has_artifact_id()) {
    return absl::InvalidArgumentError("an event has no artifact_id");
  }
  if (!event.has_execution_id()) {
    return absl::InvalidArgumentError("an event has no execution_id");
  }
  if (event.type() == Event::UNKNOWN) {
    return absl::InvalidArgumentError(
        absl::StrCat("the event between artifact ", event.artifact_id(),
                     " and execution ", event.execution_id(), " has no type"));
  }
  return absl::OkStatus();
}

// Which end of the event is not stored.
absl::Status MissingNode(Database& db, const Event& event) {
  RK_ASSIGN_OR_RETURN(const bool artifact,
                      NodeExists<Artifact>(db, event.artifact_id()));
  return absl::InvalidArgumentError(
      absl::StrCat("an event names ",
                   artifact ? absl::StrCat("execution ", event.execution_id())
                            : absl::StrCat("artifact ", event.artifact_id()),
                   ", which is not stored"));
}

absl::StatusOr<int64_t> InsertEvent(Database& db, const Event& event,
                                    int64_t now_millis) {
  RK_ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare("INSERT OR FAIL INTO Event (artifact_id, execution_id, type, "
                 "milliseconds_since_epoch) SELECT a.id, e.id, ?, ? "
                 "FROM Artifact a, Execution e WHERE a.id = ? AND e.id = ?"));
  insert.Bind(event.type(),
              event.has_milliseconds_since_epoch()
                  ? event.milliseconds_since_epoch()
                  : now_millis,
              event.artifact_id(), event.execution_id());
  const absl::Status inserted = insert.Run();
  if (absl::IsAlreadyExists(inserted)) {
    return absl::AlreadyExistsError(
        absl::StrCat("artifact ", event.artifact_id(), " and execution ",
                     event.execution_id(), " are joined by an event of type ",
                     Event::Type_Name(event.type()), " already"));
  }
  RK_RETURN_IF_ERROR(inserted);
  if (db.changes() == 0) return MissingNode(db, event);
  return db.last_insert_id();
}

absl::Status InsertPath(Database& db, int64_t event_id,
                        const Event::Path& path) {
  RK_ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare("INSERT INTO EventPath (event_id, is_index_step, step_index, "
                 "step_key) VALUES (?, ?, ?, ?)"));
  for (const Event::Path::Step& step : path.steps()) {
    insert.Reset();
    if (step.has_index()) {
      insert.Bind(event_id, true, step.index(), nullptr);
    } else if (step.has_key()) {
      insert.Bind(event_id, false, nullptr, step.key());
    } else {
      continue;
    }
    RK_RETURN_IF_ERROR(insert.Run());
  }
  return absl::OkStatus();
}

// SQLite would sort by way of a table of its own.
absl::StatusOr<std::vector<EventRow>> FindRows(Database& db,
                                               absl::string_view column,
                                               absl::Span<const int64_t> ids) {
  const SqlFragment condition = Among(column, ids);
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat("SELECT id, artifact_id, execution_id, type, "
                              "milliseconds_since_epoch FROM Event WHERE ",
                              condition.text())));
  condition.BindTo(rows);
  std::vector<EventRow> found;
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) break;
    found.push_back(
        {.id = rows.Int(0),
         .artifact_id = rows.Int(1),
         .execution_id = rows.Int(2),
         .type = static_cast<Event::Type>(rows.Int(3)),
         .millis = rows.IsNull(4) ? std::nullopt : std::optional(rows.Int(4))});
  }
  std::sort(found.begin(), found.end(),
            [](const EventRow& a, const EventRow& b) { return a.id < b.id; });
  return found;
}

void ReadRow(const EventRow& row, Event& event) {
  event.set_artifact_id(row.artifact_id);
  event.set_execution_id(row.execution_id);
  event.set_type(row.type);
  if (row.millis.has_value()) event.set_milliseconds_since_epoch(*row.millis);
}

void ReadStep(const Statement& row, Event& event) {
  Event::Path::Step* const step = event.mutable_path()->add_steps();
  if (row.Int(1) != 0) {
    step->set_index(row.Int(2));
  } else {
    step->set_key(std::string(row.Text(3)));
  }
}

// Adds the paths to events, which are in the order of their ids.
absl::Status AddPaths(Database& db,
                      absl::Span<const std::pair<int64_t, Event*>> events) {
  std::vector<int64_t> ids;
  ids.reserve(events.size());
  for (const auto& [id, event] : events) ids.push_back(id);
  const SqlFragment condition = Among("event_id", ids);
  RK_ASSIGN_OR_RETURN(
      Statement steps,
      db.Prepare(absl::StrCat("SELECT event_id, is_index_step, step_index, "
                              "step_key FROM EventPath WHERE ",
                              condition.text(), " ORDER BY event_id, rowid")));
  condition.BindTo(steps);
  const auto* next = events.begin();
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, steps.Step());
    if (!more) return absl::OkStatus();
    while (next->first != steps.Int(0)) ++next;
    ReadStep(steps, *next->second);
  }
}

}  // namespace

absl::Status PutEvent(Database& db, const Event& event, int64_t now_millis) {
  RK_RETURN_IF_ERROR(CheckFields(event));
  RK_ASSIGN_OR_RETURN(const int64_t id, InsertEvent(db, event, now_millis));
  return InsertPath(db, id, event.path());
}

absl::StatusOr<std::vector<EventRow>> FindEventRowsByArtifacts(
    Database& db, absl::Span<const int64_t> artifact_ids) {
  return FindRows(db, "artifact_id", artifact_ids);
}

absl::StatusOr<std::vector<EventRow>> FindEventRowsByExecutions(
    Database& db, absl::Span<const int64_t> execution_ids) {
  return FindRows(db, "execution_id", execution_ids);
}

absl::StatusOr<Events> WithPaths(Database& db,
                                 absl::Span<const EventRow> rows) {
  Events events;
  events.Reserve(static_cast<int>(rows.size()));
  std::vector<std::pair<int64_t, Event*>> by_id;
  by_id.reserve(rows.size());
  for (const EventRow& row : rows) {
    by_id.emplace_back(row.id, events.Add());
    ReadRow(row, *by_id.back().second);
  }
  std::sort(by_id.begin(), by_id.end());
  RK_RETURN_IF_ERROR(AddPaths(db, by_id));
  return events;
}

absl::StatusOr<Events> FindEventsByArtifacts(
    Database& db, absl::Span<const int64_t> artifact_ids) {
  RK_ASSIGN_OR_RETURN(const std::vector<EventRow> rows,
                      FindEventRowsByArtifacts(db, artifact_ids));
  return WithPaths(db, rows);
}

absl::StatusOr<Events> FindEventsByExecutions(
    Database& db, absl::Span<const int64_t> execution_ids) {
  RK_ASSIGN_OR_RETURN(const std::vector<EventRow> rows,
                      FindEventRowsByExecutions(db, execution_ids));
  return WithPaths(db, rows);
}

}  // namespace rekindle

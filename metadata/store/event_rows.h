// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_EVENT_ROWS_H_
#define REKINDLE_METADATA_STORE_EVENT_ROWS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include <google/protobuf/repeated_field.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "metadata/sqlite/database.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Rows of Event and EventPath.

using Events = google::protobuf::RepeatedPtrField<ml_metadata::Event>;

// Stores the event; `now_millis` is its time if it has none.
//
//   INVALID_ARGUMENT  an id or the type is missing, or a node is not stored
//   ALREADY_EXISTS    the two are joined by an event of this type already
absl::Status PutEvent(Database& db, const ml_metadata::Event& event,
                      int64_t now_millis);

// A row of Event: an event without its path.
struct EventRow {
  int64_t id = 0;
  int64_t artifact_id = 0;
  int64_t execution_id = 0;
  ml_metadata::Event::Type type = ml_metadata::Event::UNKNOWN;
  std::optional<int64_t> millis;
};

// The events of the given nodes, in the order they were stored.
absl::StatusOr<std::vector<EventRow>> FindEventRowsByArtifacts(
    Database& db, absl::Span<const int64_t> artifact_ids);
absl::StatusOr<std::vector<EventRow>> FindEventRowsByExecutions(
    Database& db, absl::Span<const int64_t> execution_ids);

// The whole events of rows, in their order.
absl::StatusOr<Events> WithPaths(Database& db, absl::Span<const EventRow> rows);

// Whole events of the given nodes, in the order they were stored.
absl::StatusOr<Events> FindEventsByArtifacts(
    Database& db, absl::Span<const int64_t> artifact_ids);
absl::StatusOr<Events> FindEventsByExecutions(
    Database& db, absl::Span<const int64_t> execution_ids);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_EVENT_ROWS_H_

#include "metadata/store/load_rows.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/sqlite/schema.h"
#include "metadata/store/edge_rows.h"
#include "metadata/store/event_rows.h"
#include "metadata/store/export_rows.h"
#include "metadata/store/put_node.h"
#include "metadata/store/type_rows.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Event;
using ::rekindle::v1::ExportRecord;

// Makes the table's next new row get an id above `last`.
absl::Status SetLastId(Database& db, absl::string_view table, int64_t last) {
  RK_ASSIGN_OR_RETURN(Statement forget,
                      db.Prepare("DELETE FROM sqlite_sequence WHERE name = ?"));
  forget.Bind(table);
  RK_RETURN_IF_ERROR(forget.Run());
  RK_ASSIGN_OR_RETURN(
      Statement set,
      db.Prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)"));
  set.Bind(table, last);
  return set.Run();
}

// What an id that is not one says of the record.
template <typename Item>
absl::Status CheckId(const Item& item) {
  if (item.id() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the ", NodeTraits<Item>::kNoun, " has no id"));
}

template <typename Type>
absl::Status AddType(Database& db, const Type& type) {
  RK_RETURN_IF_ERROR(CheckId(type));
  RK_ASSIGN_OR_RETURN(const int64_t last,
                      db.QueryInt("SELECT max(id) FROM Type"));
  RK_RETURN_IF_ERROR(SetLastId(db, "Type", type.id() - 1));
  RK_ASSIGN_OR_RETURN(const int64_t id, PutType(db, type, {}));
  if (type.id() <= last || id != type.id()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "type ", type.id(), " comes twice, or behind one with a higher id"));
  }
  if (!type.has_version() || !type.version().empty()) return absl::OkStatus();
  // Another writer may have stored an empty version, which is not none.
  RK_ASSIGN_OR_RETURN(Statement keep,
                      db.Prepare("UPDATE Type SET version = '' WHERE id = ?"));
  keep.Bind(id);
  return keep.Run();
}

absl::Status ForgetUri(Database& db, const Artifact& artifact) {
  if (artifact.has_uri()) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(
      Statement forget,
      db.Prepare("UPDATE Artifact SET uri = NULL WHERE id = ?"));
  forget.Bind(artifact.id());
  return forget.Run();
}

template <typename Node>
absl::Status AddNode(Database& db, DeclaredTypes& types, const Node& node) {
  RK_RETURN_IF_ERROR(CheckId(node));
  RK_ASSIGN_OR_RETURN(const DeclaredType* type,
                      types.Find(NodeTraits<Node>::kKind, node.type_id()));
  if (type == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(NodeTraits<Node>::kNoun, " ", node.id(), " has type ",
                     node.type_id(), ", which did not come before it"));
  }
  return RestoreNode(db, node);
}

absl::Status AddEvent(Database& db, const Event& event) {
  RK_RETURN_IF_ERROR(PutEvent(db, event, /*now_millis=*/0));
  if (event.has_milliseconds_since_epoch()) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(
      Statement forget,
      db.Prepare("UPDATE Event SET milliseconds_since_epoch = NULL WHERE "
                 "artifact_id = ? AND execution_id = ? AND type = ?"));
  forget.Bind(event.artifact_id(), event.execution_id(), event.type());
  return forget.Run();
}

}  // namespace

absl::Status Loader::Begin() {
  RK_ASSIGN_OR_RETURN(
      const int64_t used,
      db_.QueryInt("SELECT EXISTS (SELECT 1 FROM Artifact) OR "
                   "EXISTS (SELECT 1 FROM Execution) OR "
                   "EXISTS (SELECT 1 FROM Context) OR "
                   "EXISTS (SELECT 1 FROM Type WHERE name NOT LIKE 'mlmd.%')"));
  if (used != 0) {
    return absl::FailedPreconditionError(
        "the metadata store is not empty; an export keeps its ids, so load it "
        "into a new store");
  }
  // The types that every store has come with the export, with its ids.
  return db_.Execute(
      "DELETE FROM Type; DELETE FROM TypeProperty; DELETE FROM ParentType");
}

absl::Status Loader::Add(const ExportRecord& record) {
  if (ended_) {
    return absl::InvalidArgumentError("a record behind the end of the export");
  }
  if (record.has_header() == begun_) {
    return absl::InvalidArgumentError(
        begun_ ? "a second header"
               : "an export starts with a header; this is something else");
  }
  if (record.has_header()) return AddHeader(record.header());
  if (record.has_end()) return AddEnd(record.end());
  ++records_;
  absl::Status added = AddItem(record);
  // Whatever the row said, it is the file that is wrong.
  if (absl::IsAlreadyExists(added) || absl::IsNotFound(added)) {
    return absl::InvalidArgumentError(added.message());
  }
  return added;
}

absl::Status Loader::AddItem(const ExportRecord& record) {
  switch (record.record_case()) {
    case ExportRecord::kArtifactType:
      return AddType(db_, record.artifact_type());
    case ExportRecord::kExecutionType:
      return AddType(db_, record.execution_type());
    case ExportRecord::kContextType:
      return AddType(db_, record.context_type());
    case ExportRecord::kContext:
      return AddNode(db_, types_, record.context());
    case ExportRecord::kArtifact:
      RK_RETURN_IF_ERROR(AddNode(db_, types_, record.artifact()));
      return ForgetUri(db_, record.artifact());
    case ExportRecord::kExecution:
      return AddNode(db_, types_, record.execution());
    case ExportRecord::kEvent:
      return AddEvent(db_, record.event());
    case ExportRecord::kAttribution:
      return PutAttribution(db_, record.attribution().context_id(),
                            record.attribution().artifact_id());
    case ExportRecord::kAssociation:
      return PutAssociation(db_, record.association().context_id(),
                            record.association().execution_id());
    case ExportRecord::kParentContext:
      return PutParentContext(db_, record.parent_context().child_id(),
                              record.parent_context().parent_id());
    default:
      return absl::InvalidArgumentError("an empty record");
  }
}

absl::Status Loader::AddHeader(const v1::ExportHeader& header) {
  if (header.format_version() != kExportFormat ||
      header.schema_version() != kSchemaVersion) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an export of format ", header.format_version(), " and schema ",
        header.schema_version(), "; this program reads format ", kExportFormat,
        " and schema ", kSchemaVersion));
  }
  header_ = header;
  begun_ = true;
  return absl::OkStatus();
}

absl::Status Loader::AddEnd(const v1::ExportEnd& end) {
  if (end.records() != records_) {
    return absl::InvalidArgumentError(
        absl::StrCat("the export should have ", end.records(), " records, but ",
                     records_, " came"));
  }
  ended_ = true;
  return absl::OkStatus();
}

absl::Status Loader::Finish() {
  if (!ended_) {
    return absl::InvalidArgumentError(
        begun_ ? "the export is cut off: its end is missing"
               : "this is not an export: it is empty");
  }
  RK_RETURN_IF_ERROR(SetLastId(db_, "Type", header_.last_type_id()));
  RK_RETURN_IF_ERROR(SetLastId(db_, "Context", header_.last_context_id()));
  RK_RETURN_IF_ERROR(SetLastId(db_, "Artifact", header_.last_artifact_id()));
  return SetLastId(db_, "Execution", header_.last_execution_id());
}

}  // namespace rekindle

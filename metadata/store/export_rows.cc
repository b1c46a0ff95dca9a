#include "metadata/store/export_rows.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "metadata/sqlite/schema.h"
#include "metadata/store/edge_rows.h"
#include "metadata/store/event_rows.h"
#include "metadata/store/node_rows.h"
#include "metadata/store/node_table.h"
#include "metadata/store/type_rows.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using ::ml_metadata::Context;
using ::ml_metadata::Execution;
using ::rekindle::v1::ExportRecord;

constexpr int kNodesAtOnce = 256;

void Set(Artifact node, ExportRecord& record) {
  *record.mutable_artifact() = std::move(node);
}
void Set(Execution node, ExportRecord& record) {
  *record.mutable_execution() = std::move(node);
}
void Set(Context node, ExportRecord& record) {
  *record.mutable_context() = std::move(node);
}
void Set(ml_metadata::ArtifactType type, ExportRecord& record) {
  *record.mutable_artifact_type() = std::move(type);
}
void Set(ml_metadata::ExecutionType type, ExportRecord& record) {
  *record.mutable_execution_type() = std::move(type);
}
void Set(ml_metadata::ContextType type, ExportRecord& record) {
  *record.mutable_context_type() = std::move(type);
}
void Set(ml_metadata::Event event, ExportRecord& record) {
  *record.mutable_event() = std::move(event);
}
void Set(const ml_metadata::Attribution& edge, ExportRecord& record) {
  *record.mutable_attribution() = edge;
}
void Set(const ml_metadata::Association& edge, ExportRecord& record) {
  *record.mutable_association() = edge;
}

class Exporter {
 public:
  using Taker = absl::FunctionRef<absl::Status(const ExportRecord&)>;

  Exporter(Database& db, Taker take) : db_(db), take_(take) {}

  absl::Status Run() {
    RK_RETURN_IF_ERROR(ExportHeader());
    RK_RETURN_IF_ERROR(ExportTypes());
    RK_RETURN_IF_ERROR(ExportNodes<Context>());
    RK_RETURN_IF_ERROR(ExportNodes<Artifact>());
    RK_RETURN_IF_ERROR(ExportNodes<Execution>());
    RK_RETURN_IF_ERROR(ExportPerBatch<Execution>(FindEventsByExecutions));
    RK_RETURN_IF_ERROR(ExportPerBatch<Artifact>(FindAttributions));
    RK_RETURN_IF_ERROR(ExportPerBatch<Execution>(FindAssociations));
    RK_RETURN_IF_ERROR(ExportParentContexts());
    ExportRecord end;
    end.mutable_end()->set_records(records_);
    return take_(end);
  }

 private:
  // The highest id the table ever gave out.
  absl::StatusOr<int64_t> LastId(absl::string_view table) {
    RK_ASSIGN_OR_RETURN(
        Statement row,
        db_.Prepare("SELECT seq FROM sqlite_sequence WHERE name = ?"));
    row.Bind(table);
    RK_ASSIGN_OR_RETURN(const bool found, row.Step());
    return found ? row.Int(0) : 0;
  }

  absl::Status ExportHeader() {
    ExportRecord record;
    v1::ExportHeader& header = *record.mutable_header();
    header.set_format_version(kExportFormat);
    header.set_schema_version(kSchemaVersion);
    RK_ASSIGN_OR_RETURN(const int64_t type, LastId("Type"));
    header.set_last_type_id(type);
    RK_ASSIGN_OR_RETURN(const int64_t context, LastId("Context"));
    header.set_last_context_id(context);
    RK_ASSIGN_OR_RETURN(const int64_t artifact, LastId("Artifact"));
    header.set_last_artifact_id(artifact);
    RK_ASSIGN_OR_RETURN(const int64_t execution, LastId("Execution"));
    header.set_last_execution_id(execution);
    return take_(record);
  }

  template <typename Item>
  absl::Status Take(Item&& item) {
    ExportRecord record;
    Set(std::forward<Item>(item), record);
    ++records_;
    return take_(record);
  }

  // All kinds together, in order of id: base types come before what they are
  // the base of.
  absl::Status ExportTypes() {
    std::vector<std::pair<int64_t, ExportRecord>> types;
    RK_RETURN_IF_ERROR(AddTypes<ml_metadata::ArtifactType>(types));
    RK_RETURN_IF_ERROR(AddTypes<ml_metadata::ExecutionType>(types));
    RK_RETURN_IF_ERROR(AddTypes<ml_metadata::ContextType>(types));
    std::sort(types.begin(), types.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [id, record] : types) {
      ++records_;
      RK_RETURN_IF_ERROR(take_(record));
    }
    return absl::OkStatus();
  }

  template <typename Type>
  absl::Status AddTypes(std::vector<std::pair<int64_t, ExportRecord>>& types) {
    RK_ASSIGN_OR_RETURN(std::vector<Type> all, ListAllTypes<Type>(db_));
    for (Type& type : all) {
      const int64_t id = type.id();
      Set(std::move(type), types.emplace_back(id, ExportRecord()).second);
    }
    return absl::OkStatus();
  }

  // The next ids of the table behind `after`, in order.
  template <typename Node>
  absl::StatusOr<std::vector<int64_t>> NextIds(int64_t after) {
    RK_ASSIGN_OR_RETURN(Statement rows,
                        db_.Prepare(absl::StrCat(
                            "SELECT id FROM ", NodeTable<Node>::kTable,
                            " WHERE id > ? ORDER BY id LIMIT ", kNodesAtOnce)));
    rows.Bind(after);
    std::vector<int64_t> ids;
    while (true) {
      RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
      if (!more) return ids;
      ids.push_back(rows.Int(0));
    }
  }

  // Exports what `find` finds for the nodes of a kind, some nodes at a time.
  template <typename Node, typename Find>
  absl::Status ExportPerBatch(const Find& find) {
    int64_t last = 0;
    while (true) {
      RK_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, NextIds<Node>(last));
      if (ids.empty()) return absl::OkStatus();
      RK_ASSIGN_OR_RETURN(auto items,
                          find(db_, absl::Span<const int64_t>(ids)));
      for (auto& item : items) RK_RETURN_IF_ERROR(Take(std::move(item)));
      last = ids.back();
    }
  }

  template <typename Node>
  absl::Status ExportNodes() {
    return ExportPerBatch<Node>(FindNodes<Node>);
  }

  absl::Status ExportParentContexts() {
    int64_t last = 0;
    while (true) {
      RK_ASSIGN_OR_RETURN(const std::vector<int64_t> children,
                          NextIds<Context>(last));
      if (children.empty()) return absl::OkStatus();
      for (const int64_t child : children) {
        RK_RETURN_IF_ERROR(ExportParentsOf(child));
      }
      last = children.back();
    }
  }

  absl::Status ExportParentsOf(int64_t child) {
    RK_ASSIGN_OR_RETURN(const std::vector<int64_t> parents,
                        ParentContextIds(db_, child));
    for (const int64_t parent : parents) {
      ExportRecord record;
      record.mutable_parent_context()->set_child_id(child);
      record.mutable_parent_context()->set_parent_id(parent);
      ++records_;
      RK_RETURN_IF_ERROR(take_(record));
    }
    return absl::OkStatus();
  }

  Database& db_;
  Taker take_;
  int64_t records_ = 0;
};

}  // namespace

absl::Status ExportRecords(
    Database& db,
    absl::FunctionRef<absl::Status(const v1::ExportRecord&)> take) {
  return Exporter(db, take).Run();
}

}  // namespace rekindle

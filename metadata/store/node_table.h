// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_NODE_TABLE_H_
#define REKINDLE_METADATA_STORE_NODE_TABLE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "metadata/sqlite/statement.h"
#include "metadata/store/property_rows.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// The table of a kind of node: its names, and the columns that only this kind
// has. `kOwn` lists these columns, each with a comma before it; `kOwnFields`
// the fields that an update may change beyond those that all kinds have.
template <typename Node>
struct NodeTable;

template <>
struct NodeTable<ml_metadata::Artifact> {
  static constexpr absl::string_view kTable = "Artifact";
  static constexpr PropertyTable kProperties = {"ArtifactProperty",
                                                "artifact_id"};
  static constexpr absl::string_view kOwn = ", uri, state";
  static constexpr absl::string_view kOwnParameters = ", ?, ?";
  static constexpr absl::string_view kOwnUpdates = ", uri = ?, state = ?";

  // An artifact always has a uri, if only an empty one.
  static void BindOwn(const ml_metadata::Artifact& node, Statement& statement) {
    statement.Bind(node.uri(), node.has_state() ? std::optional(node.state())
                                                : std::nullopt);
  }
  static void ReadOwn(const Statement& row, int first,
                      ml_metadata::Artifact* node) {
    if (!row.IsNull(first)) node->set_uri(std::string(row.Text(first)));
    if (!row.IsNull(first + 1)) {
      node->set_state(
          static_cast<ml_metadata::Artifact::State>(row.Int(first + 1)));
    }
  }
  static bool SameOwn(const ml_metadata::Artifact& a,
                      const ml_metadata::Artifact& b) {
    return a.uri() == b.uri() && a.has_state() == b.has_state() &&
           a.state() == b.state();
  }
  static constexpr absl::string_view kOwnFields[] = {"uri", "state"};
  static void CopyOwn(absl::string_view field,
                      const ml_metadata::Artifact& from,
                      ml_metadata::Artifact* into) {
    if (field == "uri") into->set_uri(from.uri());
    if (field != "state") return;
    into->clear_state();
    if (from.has_state()) into->set_state(from.state());
  }
};

template <>
struct NodeTable<ml_metadata::Execution> {
  static constexpr absl::string_view kTable = "Execution";
  static constexpr PropertyTable kProperties = {"ExecutionProperty",
                                                "execution_id"};
  static constexpr absl::string_view kOwn = ", last_known_state";
  static constexpr absl::string_view kOwnParameters = ", ?";
  static constexpr absl::string_view kOwnUpdates = ", last_known_state = ?";

  static void BindOwn(const ml_metadata::Execution& node,
                      Statement& statement) {
    statement.Bind(node.has_last_known_state()
                       ? std::optional(node.last_known_state())
                       : std::nullopt);
  }
  static void ReadOwn(const Statement& row, int first,
                      ml_metadata::Execution* node) {
    if (row.IsNull(first)) return;
    node->set_last_known_state(
        static_cast<ml_metadata::Execution::State>(row.Int(first)));
  }
  static bool SameOwn(const ml_metadata::Execution& a,
                      const ml_metadata::Execution& b) {
    return a.has_last_known_state() == b.has_last_known_state() &&
           a.last_known_state() == b.last_known_state();
  }
  static constexpr absl::string_view kOwnFields[] = {"last_known_state"};
  static void CopyOwn(absl::string_view field,
                      const ml_metadata::Execution& from,
                      ml_metadata::Execution* into) {
    if (field != "last_known_state") return;
    into->clear_last_known_state();
    if (from.has_last_known_state()) {
      into->set_last_known_state(from.last_known_state());
    }
  }
};

template <>
struct NodeTable<ml_metadata::Context> {
  static constexpr absl::string_view kTable = "Context";
  static constexpr PropertyTable kProperties = {"ContextProperty",
                                                "context_id"};
  static constexpr absl::string_view kOwn = "";
  static constexpr absl::string_view kOwnParameters = "";
  static constexpr absl::string_view kOwnUpdates = "";

  static void BindOwn(const ml_metadata::Context&, Statement&) {}
  static void ReadOwn(const Statement&, int, ml_metadata::Context*) {}
  static bool SameOwn(const ml_metadata::Context&,
                      const ml_metadata::Context&) {
    return true;
  }
  static constexpr absl::string_view kOwnFields[] = {"name"};
  static void CopyOwn(absl::string_view field, const ml_metadata::Context& from,
                      ml_metadata::Context* into) {
    if (field == "name") into->set_name(from.name());
  }
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_NODE_TABLE_H_

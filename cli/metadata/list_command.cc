#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/filter_flags.h"
#include "cli/metadata/lineage_view.h"
#include "cli/metadata/node_calls.h"
#include "cli/metadata/store_command.h"
#include "cli/node_json.h"
#include "cli/output.h"
#include "cli/store_flags.h"
#include "cli/table.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/node_traits.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Context;
using ml_metadata::Execution;
using ml_metadata::ListOperationOptions;
using nlohmann::json;
using Row = std::vector<std::string>;

constexpr int64_t kDefaultLimit = 20;

struct ListFlags {
  FilterFlags filter;
  std::string type;  // empty: all types
  std::optional<int64_t> limit;
  std::string order = "id";
  bool ascending = false;
  std::string format;
};

std::string FormatMillis(int64_t millis) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::FromUnixMillis(millis),
                          absl::LocalTimeZone());
}

// --- rows of tables ---------------------------------------------------------

Row HeaderOf(const Artifact*) {
  return {"ID", "TYPE", "STATE", "CREATED", "URI"};
}
Row ToRow(const Artifact& artifact) {
  return {absl::StrCat(artifact.id()), artifact.type(),
          Artifact::State_Name(artifact.state()),
          FormatMillis(artifact.create_time_since_epoch()), artifact.uri()};
}

Row HeaderOf(const Execution*) {
  return {"ID", "TYPE", "STATE", "CREATED", "RUN/NODE"};
}
Row ToRow(const Execution& execution) {
  return {absl::StrCat(execution.id()), ShortTypeName(execution.type()),
          Execution::State_Name(execution.last_known_state()),
          FormatMillis(execution.create_time_since_epoch()),
          execution.external_id()};
}

Row HeaderOf(const Context*) { return {"ID", "TYPE", "CREATED", "NAME"}; }
Row ToRow(const Context& context) {
  return {absl::StrCat(context.id()), context.type(),
          FormatMillis(context.create_time_since_epoch()), context.name()};
}

Row TypeRow(const json& type) {
  Row properties;
  for (const auto& [name, kind] : type["properties"].items()) {
    properties.push_back(absl::StrCat(name, ":", kind.get<std::string>()));
  }
  return {type["id"].dump(), type["kind"].get<std::string>(),
          type["name"].get<std::string>(), type.value("version", ""),
          absl::StrJoin(properties, " ")};
}

// --- options ----------------------------------------------------------------

absl::Status CheckLimit(const ListFlags& flags) {
  if (flags.limit.value_or(0) >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--limit: ", *flags.limit,
                   " is below zero; give a number, or 0 for all of them"));
}

// How many to show; nullopt for all.
std::optional<int64_t> LimitOf(const ListFlags& flags) {
  const int64_t limit = flags.limit.value_or(kDefaultLimit);
  return limit == 0 ? std::nullopt : std::optional(limit);
}

absl::StatusOr<ListOperationOptions> ToOptions(const ListFlags& flags,
                                               NodeKind kind) {
  ListOperationOptions options;
  auto& order = *options.mutable_order_by_field();
  order.set_is_asc(flags.ascending);
  if (flags.order == "id") {
    order.set_field(ListOperationOptions::OrderByField::ID);
  } else if (flags.order == "create-time") {
    order.set_field(ListOperationOptions::OrderByField::CREATE_TIME);
  } else if (flags.order == "update-time") {
    order.set_field(ListOperationOptions::OrderByField::LAST_UPDATE_TIME);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("--order-by: '", flags.order,
                     "' is not one of id|create-time|update-time"));
  }
  RK_ASSIGN_OR_RETURN(const std::string filter, flags.filter.ToQuery(kind));
  if (!filter.empty()) options.set_filter_query(filter);
  return options;
}

// --- listing ----------------------------------------------------------------

template <typename Node>
absl::Status ListNodes(const MetadataStore& store, const ListFlags& flags) {
  RK_ASSIGN_OR_RETURN(ListOperationOptions options,
                      ToOptions(flags, NodeTraits<Node>::kKind));
  const bool table = flags.format == "table";
  std::vector<Row> rows = {HeaderOf(static_cast<const Node*>(nullptr))};
  json list = json::array();
  const absl::Status listed =
      ForEachNode<Node>(store, {flags.type, std::move(options), LimitOf(flags)},
                        [&](const Node& node) {
                          if (table) {
                            rows.push_back(ToRow(node));
                          } else {
                            list.push_back(ToJson(node));
                          }
                          return absl::OkStatus();
                        });
  RK_RETURN_IF_ERROR(flags.filter.Explain(listed));
  std::cout << (table ? ToTable(rows) : Render(list, flags.format));
  return absl::OkStatus();
}

template <typename Types>
void AddTypes(const Types& types, const ListFlags& flags, json& list) {
  for (const auto& type : types) {
    if (flags.type.empty() || type.name() == flags.type) {
      list.push_back(ToJson(type));
    }
  }
}

absl::Status ListTypes(const MetadataStore& store, const ListFlags& flags) {
  if (!flags.filter.empty()) {
    return absl::InvalidArgumentError(
        "types have no filter, context, pipeline or run; --type=NAME chooses "
        "one by its name");
  }
  json list = json::array();
  RK_ASSIGN_OR_RETURN(const auto artifacts, store.GetArtifactTypes({}));
  AddTypes(artifacts.artifact_types(), flags, list);
  RK_ASSIGN_OR_RETURN(const auto executions, store.GetExecutionTypes({}));
  AddTypes(executions.execution_types(), flags, list);
  RK_ASSIGN_OR_RETURN(const auto contexts, store.GetContextTypes({}));
  AddTypes(contexts.context_types(), flags, list);
  if (flags.limit.value_or(0) > 0 &&
      list.size() > static_cast<size_t>(*flags.limit)) {
    list.erase(list.begin() + *flags.limit, list.end());
  }
  if (flags.format != "table") {
    std::cout << Render(list, flags.format);
    return absl::OkStatus();
  }
  std::vector<Row> rows = {{"ID", "KIND", "NAME", "VERSION", "PROPERTIES"}};
  for (const json& type : list) rows.push_back(TypeRow(type));
  std::cout << ToTable(rows);
  return absl::OkStatus();
}

absl::Status List(const MetadataStore& store, const std::string& kind,
                  const ListFlags& flags) {
  RK_RETURN_IF_ERROR(CheckLimit(flags));
  if (kind == "artifacts") return ListNodes<Artifact>(store, flags);
  if (kind == "executions") return ListNodes<Execution>(store, flags);
  if (kind == "contexts") return ListNodes<Context>(store, flags);
  if (kind == "types") return ListTypes(store, flags);
  return absl::InvalidArgumentError(
      absl::StrCat("'", kind,
                   "' cannot be listed; use artifacts, executions, contexts "
                   "or types"));
}

}  // namespace

int MetadataListCommand(const Arguments& arguments) {
  StoreFlags store;
  ListFlags list;
  FlagSet flags("metadata list artifacts|executions|contexts|types [flags]",
                "Lists nodes, newest first, or types.",
                "rekindle metadata list artifacts --type=Model "
                "--filter='custom_properties.accuracy.double_value > 0.9'");
  flags.String("type", "NAME", &list.type, "only nodes of this type");
  list.filter.Bind(flags);
  flags.OptionalInt("limit", "N", &list.limit,
                    "how many at most; 0 for all of them (default: 20)");
  flags.String("order-by", "id|create-time|update-time", &list.order,
               "what decides which is newer");
  flags.Bool("asc", &list.ascending, "oldest first");
  flags.Format(kOutputFormats, &list.format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"artifacts|executions|contexts|types"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         RK_RETURN_IF_ERROR(List(opened.metadata(), positional[0], list));
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle

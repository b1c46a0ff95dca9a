#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/lineage_view.h"
#include "cli/node_json.h"
#include "cli/store_flags.h"
#include "cli/table.h"
#include "component/resolve/resolver.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/open_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

// A query: flags, positional arguments, and what to do with an open store.
struct Query {
  FlagSet& flags;
  const StoreFlags& store;
  std::vector<std::string> argument_names;  // all are required
  std::function<absl::Status(const MetadataStore& store,
                             const std::vector<std::string>& positional)>
      answer;
};

absl::Status CheckArguments(const Query& query,
                            const std::vector<std::string>& positional) {
  if (positional.size() == query.argument_names.size()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected ", absl::StrJoin(query.argument_names, " "), ", got ",
      positional.empty() ? "nothing" : absl::StrJoin(positional, " "),
      "; --help shows an example"));
}

absl::Status Answer(const Query& query, const Arguments& arguments) {
  std::vector<std::string> positional;
  RK_RETURN_IF_ERROR(query.flags.Parse(arguments, &positional));
  if (query.flags.help_requested()) {
    std::cout << query.flags.Help();
    return absl::OkStatus();
  }
  RK_RETURN_IF_ERROR(CheckArguments(query, positional));
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                      query.store.Open(OpenOptions::Mode::kReadOnly));
  return query.answer(store->metadata(), positional);
}

int RunQuery(const Query& query, const Arguments& arguments) {
  const absl::Status answered = Answer(query, arguments);
  return answered.ok() ? kOk : Fail(answered);
}

std::string FormatMillis(int64_t millis) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", absl::FromUnixMillis(millis),
                          absl::LocalTimeZone());
}

std::vector<std::string> ToRow(const ml_metadata::Artifact& artifact) {
  return {absl::StrCat(artifact.id()), artifact.type(),
          ml_metadata::Artifact::State_Name(artifact.state()),
          FormatMillis(artifact.create_time_since_epoch()), artifact.uri()};
}

std::vector<std::string> ToRow(const ml_metadata::Execution& execution) {
  return {absl::StrCat(execution.id()), ShortTypeName(execution.type()),
          ml_metadata::Execution::State_Name(execution.last_known_state()),
          FormatMillis(execution.create_time_since_epoch()),
          execution.external_id()};
}

std::vector<std::string> ToRow(const ml_metadata::Context& context) {
  return {absl::StrCat(context.id()), context.type(),
          FormatMillis(context.create_time_since_epoch()), context.name()};
}

struct ListFlags {
  std::string type;  // empty: all types
  std::optional<int64_t> limit;
  std::string format;
};

// Asks for the newest nodes first.
template <typename Request>
Request ListRequest(const ListFlags& flags) {
  Request request;
  auto& options = *request.mutable_options();
  options.set_max_result_size(static_cast<int32_t>(flags.limit.value_or(20)));
  options.mutable_order_by_field()->set_field(
      ml_metadata::ListOperationOptions::OrderByField::ID);
  options.mutable_order_by_field()->set_is_asc(false);
  return request;
}

template <typename Nodes>
void PrintNodes(const Nodes& nodes, std::vector<std::string> header,
                const std::string& format) {
  if (format == "json") {
    json list = json::array();
    for (const auto& node : nodes) list.push_back(ToJson(node));
    std::cout << list.dump(2) << '\n';
    return;
  }
  Rows rows = {std::move(header)};
  for (const auto& node : nodes) rows.push_back(ToRow(node));
  std::cout << ToTable(rows);
}

// Lists one kind of node: `all` and `of_type` are the two calls of the store,
// `nodes_of` picks the nodes out of either's response.
template <typename AllRequest, typename OfTypeRequest, typename All,
          typename OfType, typename NodesOf>
absl::Status ListKind(const ListFlags& flags,
                      const std::vector<std::string>& header, const All& all,
                      const OfType& of_type, const NodesOf& nodes_of) {
  if (flags.type.empty()) {
    RK_ASSIGN_OR_RETURN(const auto found, all(ListRequest<AllRequest>(flags)));
    PrintNodes(nodes_of(found), header, flags.format);
    return absl::OkStatus();
  }
  auto request = ListRequest<OfTypeRequest>(flags);
  request.set_type_name(flags.type);
  RK_ASSIGN_OR_RETURN(const auto found, of_type(request));
  PrintNodes(nodes_of(found), header, flags.format);
  return absl::OkStatus();
}

absl::Status UnknownKind(const std::string& kind) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", kind,
      "' is not a kind of node; use artifact, execution or context"));
}

absl::Status ListNodes(const MetadataStore& store, const std::string& kind,
                       const ListFlags& flags) {
  using namespace ml_metadata;  // NOLINT: a page of message names
  if (kind == "artifacts") {
    return ListKind<GetArtifactsRequest, GetArtifactsByTypeRequest>(
        flags, {"ID", "TYPE", "STATE", "CREATED", "URI"},
        [&](const auto& request) { return store.GetArtifacts(request); },
        [&](const auto& request) { return store.GetArtifactsByType(request); },
        [](const auto& found) { return found.artifacts(); });
  }
  if (kind == "executions") {
    return ListKind<GetExecutionsRequest, GetExecutionsByTypeRequest>(
        flags, {"ID", "TYPE", "STATE", "CREATED", "RUN/NODE"},
        [&](const auto& request) { return store.GetExecutions(request); },
        [&](const auto& request) { return store.GetExecutionsByType(request); },
        [](const auto& found) { return found.executions(); });
  }
  if (kind == "contexts") {
    return ListKind<GetContextsRequest, GetContextsByTypeRequest>(
        flags, {"ID", "TYPE", "CREATED", "NAME"},
        [&](const auto& request) { return store.GetContexts(request); },
        [&](const auto& request) { return store.GetContextsByType(request); },
        [](const auto& found) { return found.contexts(); });
  }
  return UnknownKind(kind);
}

absl::StatusOr<int64_t> ParseId(const std::string& text) {
  int64_t id = 0;
  if (!absl::SimpleAtoi(text, &id) || id <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not an id; ids are whole numbers"));
  }
  return id;
}

absl::Status NoSuchNode(const std::string& kind, int64_t id) {
  return absl::NotFoundError(absl::StrCat("there is no ", kind, " with id ", id,
                                          "; 'rekindle metadata list ", kind,
                                          "s' shows what is"));
}

// The one node in `nodes`, with its events if it has any.
template <typename Nodes, typename Events>
absl::StatusOr<json> OneNode(const std::string& kind, int64_t id,
                             const Nodes& nodes, const Events& events) {
  if (nodes.empty()) return NoSuchNode(kind, id);
  json node = ToJson(nodes.Get(0));
  node["events"] = json::array();
  for (const auto& event : events) node["events"].push_back(ToJson(event));
  return node;
}

absl::StatusOr<json> GetNode(const MetadataStore& store,
                             const std::string& kind, int64_t id) {
  if (kind == "artifact") {
    ml_metadata::GetArtifactsByIDRequest request;
    request.add_artifact_ids(id);
    RK_ASSIGN_OR_RETURN(const auto found, store.GetArtifactsByID(request));
    ml_metadata::GetEventsByArtifactIDsRequest events_of;
    events_of.add_artifact_ids(id);
    RK_ASSIGN_OR_RETURN(const auto events,
                        store.GetEventsByArtifactIDs(events_of));
    return OneNode(kind, id, found.artifacts(), events.events());
  }
  if (kind == "execution") {
    ml_metadata::GetExecutionsByIDRequest request;
    request.add_execution_ids(id);
    RK_ASSIGN_OR_RETURN(const auto found, store.GetExecutionsByID(request));
    ml_metadata::GetEventsByExecutionIDsRequest events_of;
    events_of.add_execution_ids(id);
    RK_ASSIGN_OR_RETURN(const auto events,
                        store.GetEventsByExecutionIDs(events_of));
    return OneNode(kind, id, found.executions(), events.events());
  }
  if (kind != "context") return UnknownKind(kind);
  ml_metadata::GetContextsByIDRequest request;
  request.add_context_ids(id);
  RK_ASSIGN_OR_RETURN(const auto found, store.GetContextsByID(request));
  if (found.contexts().empty()) return NoSuchNode(kind, id);
  return ToJson(found.contexts(0));
}

// A node's fields, one a line; nested ones by dotted names.
void AddRows(const std::string& prefix, const json& value, Rows& rows) {
  if (value.is_object()) {
    for (const auto& [name, field] : value.items()) {
      AddRows(prefix.empty() ? name : absl::StrCat(prefix, ".", name), field,
              rows);
    }
  } else if (value.is_string()) {
    rows.push_back({prefix, value.get<std::string>()});
  } else if (value.is_array() && !value.empty() && value[0].is_object()) {
    for (const json& element : value) {
      rows.push_back({prefix, element.dump()});
    }
  } else {
    rows.push_back({prefix, value.dump()});
  }
}

void PrintNode(const json& node, const std::string& format) {
  if (format == "json") {
    std::cout << node.dump(2) << '\n';
    return;
  }
  Rows rows;
  AddRows("", node, rows);
  std::cout << ToTable(rows);
}

}  // namespace

int MetadataListCommand(const Arguments& arguments) {
  StoreFlags store;
  ListFlags list;
  FlagSet flags("metadata list artifacts|executions|contexts [flags]",
                "Lists nodes, newest first.",
                "rekindle metadata list artifacts --type=Model -o json");
  flags.String("type", "NAME", &list.type, "only nodes of this type");
  flags.OptionalInt("limit", "N", &list.limit,
                    "how many at most (default: 20)");
  flags.Format({"table", "json"}, &list.format);
  store.Bind(flags);
  return RunQuery({flags,
                   store,
                   {"artifacts|executions|contexts"},
                   [&](const MetadataStore& metadata,
                       const std::vector<std::string>& positional) {
                     return ListNodes(metadata, positional[0], list);
                   }},
                  arguments);
}

int MetadataGetCommand(const Arguments& arguments) {
  StoreFlags store;
  std::string format;
  FlagSet flags("metadata get artifact|execution|context ID [flags]",
                "Prints everything that is recorded of one node.",
                "rekindle metadata get artifact 4 -o json | jq -r .uri");
  flags.Format({"table", "json"}, &format);
  store.Bind(flags);
  return RunQuery({flags,
                   store,
                   {"artifact|execution|context", "ID"},
                   [&](const MetadataStore& metadata,
                       const std::vector<std::string>& positional) {
                     RK_ASSIGN_OR_RETURN(const int64_t id,
                                         ParseId(positional[1]));
                     RK_ASSIGN_OR_RETURN(const json node,
                                         GetNode(metadata, positional[0], id));
                     PrintNode(node, format);
                     return absl::OkStatus();
                   }},
                  arguments);
}

int MetadataLatestCommand(const Arguments& arguments) {
  StoreFlags store;
  std::string pipeline;
  std::string format;
  FlagSet flags(
      "metadata latest TYPE --pipeline=NAME [flags]",
      "Prints the newest usable artifact of TYPE, the one a warm start would "
      "choose.\nExit status: 0 found, 3 there is none, 2 wrong usage.",
      "rekindle metadata latest Model --pipeline=penguin -o json | jq -r .uri");
  flags.String("pipeline", "NAME", &pipeline, "the pipeline; required");
  flags.Format({"table", "json"}, &format);
  store.Bind(flags);
  return RunQuery(
      {flags,
       store,
       {"TYPE"},
       [&](const MetadataStore& metadata,
           const std::vector<std::string>& positional) -> absl::Status {
         if (pipeline.empty()) {
           return absl::InvalidArgumentError(
               "--pipeline is missing; it names the pipeline to look in");
         }
         ResolveQuery query;
         query.type_name = positional[0];
         query.ref.kind = ArtifactRef::Kind::kLatest;
         query.pipeline = pipeline;
         RK_ASSIGN_OR_RETURN(const Resolution resolution,
                             Resolve(query, metadata));
         if (!resolution.chosen.has_value()) {
           return absl::NotFoundError(absl::StrCat("pipeline '", pipeline,
                                                   "' has no usable ",
                                                   positional[0], " artifact"));
         }
         PrintNode(ToJson(*resolution.chosen), format);
         return absl::OkStatus();
       }},
      arguments);
}

int MetadataLineageCommand(const Arguments& arguments) {
  StoreFlags store;
  bool downstream = false;
  std::optional<int64_t> max_hops;
  std::string format;
  FlagSet flags("metadata lineage ARTIFACT_ID [flags]",
                "Shows what an artifact was made from, or what was made of it.",
                "rekindle metadata lineage 9");
  flags.Bool("downstream", &downstream, "what was made of it instead");
  flags.OptionalInt("max-hops", "N", &max_hops,
                    "how far to follow; an artifact and its execution are one "
                    "apart (default: 100)");
  flags.Format({"tree", "json"}, &format);
  store.Bind(flags);
  return RunQuery({flags,
                   store,
                   {"ARTIFACT_ID"},
                   [&](const MetadataStore& metadata,
                       const std::vector<std::string>& positional) {
                     RK_ASSIGN_OR_RETURN(const int64_t id,
                                         ParseId(positional[0]));
                     RK_ASSIGN_OR_RETURN(
                         const LineageView view,
                         LoadLineage(id,
                                     downstream ? LineageDirection::kDownstream
                                                : LineageDirection::kUpstream,
                                     max_hops.value_or(100), metadata));
                     if (format == "json") {
                       std::cout << LineageToJson(view).dump(2) << '\n';
                     } else {
                       std::cout << LineageToTree(view);
                     }
                     return absl::OkStatus();
                   }},
                  arguments);
}

}  // namespace rekindle

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/node_calls.h"
#include "cli/metadata/store_command.h"
#include "cli/node_json.h"
#include "cli/output.h"
#include "cli/store_flags.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Context;
using ml_metadata::Execution;
using nlohmann::json;

template <typename Nodes>
json ToList(const Nodes& nodes) {
  json list = json::array();
  for (const auto& node : nodes) list.push_back(ToJson(node));
  return list;
}

template <typename Node>
absl::StatusOr<json> GetOne(const MetadataStore& store, int64_t id) {
  RK_ASSIGN_OR_RETURN(const std::vector<Node> nodes,
                      GetNodes<Node>(store, {id}));
  return ToJson(nodes.front());
}

absl::StatusOr<json> GetArtifact(const MetadataStore& store, int64_t id) {
  RK_ASSIGN_OR_RETURN(json node, GetOne<Artifact>(store, id));
  ml_metadata::GetEventsByArtifactIDsRequest request;
  request.add_artifact_ids(id);
  RK_ASSIGN_OR_RETURN(const auto events, store.GetEventsByArtifactIDs(request));
  node["events"] = ToList(events.events());
  return node;
}

absl::StatusOr<json> GetExecution(const MetadataStore& store, int64_t id) {
  RK_ASSIGN_OR_RETURN(json node, GetOne<Execution>(store, id));
  ml_metadata::GetEventsByExecutionIDsRequest request;
  request.add_execution_ids(id);
  RK_ASSIGN_OR_RETURN(const auto events,
                      store.GetEventsByExecutionIDs(request));
  node["events"] = ToList(events.events());
  return node;
}

absl::StatusOr<json> Get(const MetadataStore& store, const std::string& kind,
                         int64_t id) {
  if (kind == "artifact") return GetArtifact(store, id);
  if (kind == "execution") return GetExecution(store, id);
  if (kind == "context") return GetOne<Context>(store, id);
  return UnknownKind(kind);
}

}  // namespace

int MetadataGetCommand(const Arguments& arguments) {
  StoreFlags store;
  std::string format;
  FlagSet flags("metadata get artifact|execution|context ID [flags]",
                "Prints everything that is recorded of one node.",
                "rekindle metadata get artifact 4 -o json | jq -r .uri");
  flags.Format(kOutputFormats, &format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"artifact|execution|context", "ID"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         RK_ASSIGN_OR_RETURN(const int64_t id, ParseId(positional[1]));
         RK_ASSIGN_OR_RETURN(const json node,
                             Get(opened.metadata(), positional[0], id));
         std::cout << Render(node, format);
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle

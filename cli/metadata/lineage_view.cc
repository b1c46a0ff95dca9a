#include "cli/metadata/lineage_view.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "cli/metadata/store_command.h"
#include "cli/node_json.h"
#include "cli/terminal_text.h"
#include "component/cache/cache.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Event;
using ml_metadata::Execution;

// Whether the event leads away from the root. Upstream, an artifact leads to
// what put it out and an execution to what it took in; downstream the other way
// round.
bool LeadsAway(const Event& event, bool from_artifact,
               LineageDirection direction) {
  const bool upstream = direction == LineageDirection::kUpstream;
  return IsOutput(event) == (from_artifact == upstream);
}

// Follows events breadth first, one hop at a time.
class LineageWalk {
 public:
  LineageWalk(const MetadataStore& store, LineageView& view)
      : store_(store), view_(view) {}

  absl::Status Run(int64_t max_hops) {
    RK_RETURN_IF_ERROR(LoadRoot());
    std::set<int64_t> frontier = {view_.root.id};
    bool at_artifacts = view_.root.kind == LineageRoot::Kind::kArtifact;
    for (int64_t hop = 0; hop < max_hops && !frontier.empty(); ++hop) {
      RK_ASSIGN_OR_RETURN(frontier, at_artifacts ? HopToExecutions(frontier)
                                                 : HopToArtifacts(frontier));
      at_artifacts = !at_artifacts;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status LoadRoot() {
    const int64_t id = view_.root.id;
    if (view_.root.kind == LineageRoot::Kind::kArtifact) {
      RK_RETURN_IF_ERROR(LoadArtifacts({id}));
      return view_.artifacts.empty() ? NoSuchNode("artifact", id)
                                     : absl::OkStatus();
    }
    RK_RETURN_IF_ERROR(LoadExecutions({id}));
    return view_.executions.empty() ? NoSuchNode("execution", id)
                                    : absl::OkStatus();
  }

  absl::StatusOr<std::set<int64_t>> HopToExecutions(
      const std::set<int64_t>& artifacts) {
    ml_metadata::GetEventsByArtifactIDsRequest request;
    request.mutable_artifact_ids()->Add(artifacts.begin(), artifacts.end());
    RK_ASSIGN_OR_RETURN(const auto response,
                        store_.GetEventsByArtifactIDs(request));
    std::set<int64_t> found;
    std::set<int64_t> reuses;
    std::vector<Event> leading;
    for (const Event& event : response.events()) {
      if (!LeadsAway(event, /*from_artifact=*/true, view_.direction)) continue;
      leading.push_back(event);
      if (!view_.executions.contains(event.execution_id())) {
        found.insert(event.execution_id());
      }
    }
    RK_RETURN_IF_ERROR(LoadExecutions(found));
    for (const Event& event : leading) {
      if (!IsReuse(event)) {
        view_.events.push_back(event);
      } else if (found.erase(event.execution_id()) > 0) {
        reuses.insert(event.execution_id());
      }
    }
    for (const int64_t reuse : reuses) view_.executions.erase(reuse);
    return found;
  }

  // Whether the event says that an execution took the artifact from the cache,
  // and the one that made it is there to be followed instead.
  bool IsReuse(const Event& event) const {
    const auto found = view_.executions.find(event.execution_id());
    const bool is_root = view_.root.kind == LineageRoot::Kind::kExecution &&
                         view_.root.id == event.execution_id();
    if (!IsOutput(event) || is_root || found == view_.executions.end()) {
      return false;
    }
    const auto maker = CustomInt(found->second, kCachedFromProperty);
    return maker.has_value() && view_.executions.contains(*maker);
  }

  absl::StatusOr<std::set<int64_t>> HopToArtifacts(
      const std::set<int64_t>& executions) {
    ml_metadata::GetEventsByExecutionIDsRequest request;
    request.mutable_execution_ids()->Add(executions.begin(), executions.end());
    RK_ASSIGN_OR_RETURN(const auto response,
                        store_.GetEventsByExecutionIDs(request));
    std::set<int64_t> found;
    for (const Event& event : response.events()) {
      if (!LeadsAway(event, /*from_artifact=*/false, view_.direction)) continue;
      view_.events.push_back(event);
      if (!view_.artifacts.contains(event.artifact_id())) {
        found.insert(event.artifact_id());
      }
    }
    RK_RETURN_IF_ERROR(LoadArtifacts(found));
    return found;
  }

  absl::Status LoadArtifacts(const std::set<int64_t>& ids) {
    if (ids.empty()) return absl::OkStatus();
    ml_metadata::GetArtifactsByIDRequest request;
    request.mutable_artifact_ids()->Add(ids.begin(), ids.end());
    RK_ASSIGN_OR_RETURN(const auto response, store_.GetArtifactsByID(request));
    for (const Artifact& artifact : response.artifacts()) {
      view_.artifacts[artifact.id()] = artifact;
    }
    return absl::OkStatus();
  }

  absl::Status LoadExecutions(const std::set<int64_t>& ids) {
    if (ids.empty()) return absl::OkStatus();
    ml_metadata::GetExecutionsByIDRequest request;
    request.mutable_execution_ids()->Add(ids.begin(), ids.end());
    RK_ASSIGN_OR_RETURN(const auto response, store_.GetExecutionsByID(request));
    for (const Execution& execution : response.executions()) {
      view_.executions[execution.id()] = execution;
    }
    return absl::OkStatus();
  }

  const MetadataStore& store_;
  LineageView& view_;
};

// Draws the view as a tree of lines.
class TreePrinter {
 public:
  explicit TreePrinter(const LineageView& view) : view_(view) {
    for (const Event& event : view.events) {
      by_artifact_[event.artifact_id()].push_back(&event);
      by_execution_[event.execution_id()].push_back(&event);
    }
  }

  std::string Print() {
    if (view_.root.kind == LineageRoot::Kind::kArtifact) {
      PrintArtifact(view_.root.id, "", "", "");
    } else {
      PrintExecution(view_.root.id, "", "");
    }
    return std::move(text_);
  }

 private:
  // `first` precedes the node's own line, `rest` the lines below it.
  void PrintArtifact(int64_t id, const std::string& label,
                     const std::string& first, const std::string& rest) {
    const auto found = view_.artifacts.find(id);
    if (found == view_.artifacts.end()) return;
    const Artifact& artifact = found->second;
    const bool again = !seen_artifacts_.insert(id).second;
    absl::StrAppend(&text_, first,
                    TerminalLine(absl::StrCat(label, artifact.type(), " ", id,
                                              "  ", artifact.uri())));
    if (artifact.state() != Artifact::LIVE) {
      absl::StrAppend(&text_, "  ", Artifact::State_Name(artifact.state()));
    }
    absl::StrAppend(&text_, again ? "  (above)\n" : "\n");
    if (again) return;
    const std::vector<const Event*> events = Ahead(by_artifact_[id], true);
    for (size_t i = 0; i < events.size(); ++i) {
      const bool last = i + 1 == events.size();
      PrintExecution(events[i]->execution_id(), rest + (last ? "└─ " : "├─ "),
                     rest + (last ? "   " : "│  "));
    }
  }

  void PrintExecution(int64_t id, const std::string& first,
                      const std::string& rest) {
    const auto found = view_.executions.find(id);
    if (found == view_.executions.end()) return;
    const Execution& execution = found->second;
    const bool again = !seen_executions_.insert(id).second;
    absl::StrAppend(&text_, first,
                    TerminalLine(ShortTypeName(execution.type())),
                    "  execution ", id, "  ",
                    Execution::State_Name(execution.last_known_state()),
                    again ? "  (above)\n" : "\n");
    if (again) return;
    const std::vector<const Event*> events = Ahead(by_execution_[id], false);
    const std::string source = CustomString(execution, "input_base");
    for (size_t i = 0; i < events.size(); ++i) {
      const bool last = i + 1 == events.size() && source.empty();
      PrintArtifact(
          events[i]->artifact_id(), absl::StrCat(KeyOf(*events[i]), ": "),
          rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "));
    }
    if (!source.empty() && view_.direction == LineageDirection::kUpstream) {
      absl::StrAppend(&text_, rest,
                      "└─ files: ", TerminalLine(SourceOf(execution, source)),
                      "\n");
    }
  }

  // The files that an example-gen step read: its folder and pattern.
  static std::string SourceOf(const Execution& execution,
                              const std::string& folder) {
    const auto config =
        nlohmann::json::parse(CustomString(execution, "input_config"), nullptr,
                              /*allow_exceptions=*/false);
    const auto splits = config.find("splits");
    if (!config.is_object() || splits == config.end() || !splits->is_array() ||
        splits->size() != 1) {
      return folder;
    }
    return absl::StrCat(folder, "/", (*splits)[0].value("pattern", ""));
  }

  // The events that lead away from the root.
  std::vector<const Event*> Ahead(const std::vector<const Event*>& events,
                                  bool from_artifact) const {
    std::vector<const Event*> ahead;
    for (const Event* event : events) {
      if (LeadsAway(*event, from_artifact, view_.direction)) {
        ahead.push_back(event);
      }
    }
    return ahead;
  }

  const LineageView& view_;
  std::map<int64_t, std::vector<const Event*>> by_artifact_;
  std::map<int64_t, std::vector<const Event*>> by_execution_;
  std::set<int64_t> seen_artifacts_;
  std::set<int64_t> seen_executions_;
  std::string text_;
};

}  // namespace

bool IsOutput(const Event& event) {
  return event.type() == Event::OUTPUT ||
         event.type() == Event::INTERNAL_OUTPUT ||
         event.type() == Event::DECLARED_OUTPUT ||
         event.type() == Event::PENDING_OUTPUT;
}

std::string KeyOf(const Event& event) {
  for (const Event::Path::Step& step : event.path().steps()) {
    if (step.has_key()) return step.key();
  }
  return "";
}

absl::StatusOr<LineageRoot> ParseLineageRoot(const std::string& text) {
  LineageRoot root;
  absl::string_view id = text;
  if (absl::ConsumePrefix(&id, "execution:")) {
    root.kind = LineageRoot::Kind::kExecution;
  } else {
    absl::ConsumePrefix(&id, "artifact:");
  }
  if (!absl::SimpleAtoi(id, &root.id) || root.id <= 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text,
        "' names no node; write an artifact's id, 7, or execution:4"));
  }
  return root;
}

absl::StatusOr<LineageView> LoadLineage(const LineageRoot& root,
                                        LineageDirection direction,
                                        int64_t max_hops,
                                        const MetadataStore& store) {
  LineageView view;
  view.root = root;
  view.direction = direction;
  RK_RETURN_IF_ERROR(LineageWalk(store, view).Run(max_hops));
  return view;
}

std::string LineageToTree(const LineageView& view) {
  return TreePrinter(view).Print();
}

nlohmann::json LineageToJson(const LineageView& view) {
  nlohmann::json json = {{"artifacts", nlohmann::json::array()},
                         {"executions", nlohmann::json::array()},
                         {"events", nlohmann::json::array()}};
  for (const auto& [id, artifact] : view.artifacts) {
    json["artifacts"].push_back(ToJson(artifact));
  }
  for (const auto& [id, execution] : view.executions) {
    json["executions"].push_back(ToJson(execution));
  }
  for (const Event& event : view.events) {
    json["events"].push_back(ToJson(event));
  }
  return json;
}

std::string ShortTypeName(const std::string& type) {
  return type.substr(type.rfind('.') + 1);
}

}  // namespace rekindle

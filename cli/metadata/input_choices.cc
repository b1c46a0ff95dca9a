#include "cli/metadata/input_choices.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "cli/metadata/lineage_view.h"
#include "cli/metadata/node_calls.h"
#include "cli/table.h"
#include "component/resolve/candidate.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Event;
using ml_metadata::Execution;
using nlohmann::json;

// How many candidates are looked at before giving up on reaching the one taken.
constexpr int64_t kMaxCandidates = 50;

// What a Trainer can go without.
constexpr char kBaseModel[] = "base_model";
constexpr char kModelType[] = "Model";

// Ids of the input artifacts by key.
absl::StatusOr<std::map<std::string, std::vector<int64_t>>> FindInputs(
    const Execution& execution, const MetadataStore& store) {
  ml_metadata::GetEventsByExecutionIDsRequest request;
  request.add_execution_ids(execution.id());
  RK_ASSIGN_OR_RETURN(const auto events,
                      store.GetEventsByExecutionIDs(request));
  std::map<std::string, std::vector<int64_t>> inputs;
  for (const Event& event : events.events()) {
    if (IsOutput(event)) continue;
    inputs[KeyOf(event)].push_back(event.artifact_id());
  }
  if (ShortTypeName(execution.type()) == "Trainer") inputs[kBaseModel];
  return inputs;
}

absl::StatusOr<std::optional<int64_t>> FindPipeline(
    int64_t execution_id, const MetadataStore& store) {
  ml_metadata::GetContextsByExecutionRequest request;
  request.set_execution_id(execution_id);
  RK_ASSIGN_OR_RETURN(const auto contexts,
                      store.GetContextsByExecution(request));
  for (const ml_metadata::Context& context : contexts.contexts()) {
    if (context.type() == "pipeline") return context.id();
  }
  return std::nullopt;
}

Candidate JudgeNow(Artifact artifact, const std::string& type) {
  Candidate candidate = JudgeArtifact(std::move(artifact), type);
  if (candidate.taken) {
    candidate.taken = false;
    candidate.reason = absl::StrCat(
        "usable now (", candidate.reason,
        "); the step was told to take another, or could not use it then");
  }
  return candidate;
}

// Artifacts of the pipeline that were there when the execution began, newest
// first, down to the one it took.
absl::StatusOr<std::vector<Candidate>> FindPassedOver(
    const Execution& execution, const InputChoice& input, int64_t pipeline,
    const MetadataStore& store) {
  NodeQuery query;
  query.type = input.chosen.empty() ? kModelType : input.chosen.front().type();
  query.limit = kMaxCandidates;
  query.options.set_filter_query(absl::StrCat(
      "contexts_pipeline.id = ", pipeline,
      " AND create_time_since_epoch <= ", execution.create_time_since_epoch()));
  query.options.mutable_order_by_field()->set_field(
      ml_metadata::ListOperationOptions::OrderByField::ID);
  query.options.mutable_order_by_field()->set_is_asc(false);

  std::vector<Candidate> passed_over;
  bool reached = false;
  RK_RETURN_IF_ERROR(
      ForEachNode<Artifact>(store, query, [&](Artifact artifact) {
        reached =
            reached || std::any_of(input.chosen.begin(), input.chosen.end(),
                                   [&](const Artifact& chosen) {
                                     return chosen.id() == artifact.id();
                                   });
        if (!reached) {
          passed_over.push_back(JudgeNow(std::move(artifact), query.type));
        }
        return absl::OkStatus();
      }));
  return passed_over;
}

absl::StatusOr<InputChoice> FindChoice(const Execution& execution,
                                       const std::string& key,
                                       const std::vector<int64_t>& ids,
                                       std::optional<int64_t> pipeline,
                                       const MetadataStore& store) {
  InputChoice choice;
  choice.key = key;
  RK_ASSIGN_OR_RETURN(choice.chosen, GetNodes<Artifact>(store, ids));
  if (pipeline.has_value()) {
    RK_ASSIGN_OR_RETURN(choice.passed_over,
                        FindPassedOver(execution, choice, *pipeline, store));
  }
  return choice;
}

absl::Status NoSuchInput(
    int64_t execution_id, const std::string& key,
    const std::map<std::string, std::vector<int64_t>>& inputs) {
  std::vector<std::string> keys;
  keys.reserve(inputs.size());
  for (const auto& [name, ids] : inputs) keys.push_back(name);
  return absl::NotFoundError(absl::StrCat(
      "execution ", execution_id, " has no input '", key, "'; it has ",
      keys.empty() ? "none" : absl::StrJoin(keys, ", ")));
}

std::string Describe(const InputChoice& input) {
  if (input.chosen.empty()) return "nothing: it went without";
  return absl::StrJoin(input.chosen, ", ",
                       [](std::string* out, const Artifact& artifact) {
                         absl::StrAppend(out, artifact.type(), " ",
                                         artifact.id(), "  ", artifact.uri());
                       });
}

}  // namespace

absl::StatusOr<ExecutionChoices> FindInputChoices(int64_t execution_id,
                                                  const std::string& key,
                                                  const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const std::vector<Execution> found,
                      GetNodes<Execution>(store, {execution_id}));
  ExecutionChoices choices;
  choices.execution = found.front();
  RK_ASSIGN_OR_RETURN(const auto inputs, FindInputs(choices.execution, store));
  if (!key.empty() && !inputs.contains(key)) {
    return NoSuchInput(execution_id, key, inputs);
  }
  RK_ASSIGN_OR_RETURN(const std::optional<int64_t> pipeline,
                      FindPipeline(execution_id, store));
  for (const auto& [name, ids] : inputs) {
    if (!key.empty() && name != key) continue;
    RK_ASSIGN_OR_RETURN(
        choices.inputs.emplace_back(),
        FindChoice(choices.execution, name, ids, pipeline, store));
  }
  return choices;
}

std::string ChoicesToText(const std::vector<ExecutionChoices>& choices) {
  std::string text;
  for (const ExecutionChoices& of : choices) {
    absl::StrAppend(&text, ShortTypeName(of.execution.type()), "  execution ",
                    of.execution.id(), "  ",
                    Execution::State_Name(of.execution.last_known_state()),
                    "\n");
    for (const InputChoice& input : of.inputs) {
      absl::StrAppend(&text, input.key, ": ", Describe(input), "\n");
      std::vector<std::vector<std::string>> rows;
      for (const Candidate& candidate : input.passed_over) {
        rows.push_back({"  not",
                        absl::StrCat(candidate.artifact.type(), " ",
                                     candidate.artifact.id()),
                        candidate.reason});
      }
      absl::StrAppend(&text, ToTable(std::move(rows)));
    }
  }
  return absl::StrCat(text,
                      "Candidates are not recorded: those it did not take are "
                      "judged as they are now.\n");
}

json ChoicesToJson(const std::vector<ExecutionChoices>& choices) {
  json list = json::array();
  for (const ExecutionChoices& of : choices) {
    json inputs = json::array();
    for (const InputChoice& input : of.inputs) {
      json chosen = json::array();
      for (const Artifact& artifact : input.chosen) {
        chosen.push_back({{"id", artifact.id()},
                          {"type", artifact.type()},
                          {"uri", artifact.uri()}});
      }
      json passed_over = json::array();
      for (const Candidate& candidate : input.passed_over) {
        passed_over.push_back({{"id", candidate.artifact.id()},
                               {"uri", candidate.artifact.uri()},
                               {"reason", candidate.reason}});
      }
      inputs.push_back({{"key", input.key},
                        {"chosen", chosen},
                        {"passed_over", passed_over},
                        {"candidates_recorded", false}});
    }
    list.push_back({{"execution_id", of.execution.id()}, {"inputs", inputs}});
  }
  return list;
}

}  // namespace rekindle

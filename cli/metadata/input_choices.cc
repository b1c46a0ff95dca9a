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
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "cli/metadata/lineage_view.h"
#include "cli/metadata/node_calls.h"
#include "cli/table.h"
#include "cli/terminal_text.h"
#include "component/resolve/artifact_roots.h"
#include "component/resolve/candidate.h"
#include "component/resolve/digest_check.h"
#include "component/resolve/input_choice.h"
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

// What a Trainer can go without.
constexpr char kBaseModel[] = "base_model";
constexpr char kModelType[] = "Model";

using IdsByKey = std::map<std::string, std::vector<int64_t>>;

// Ids of the input artifacts by key.
absl::StatusOr<IdsByKey> FindInputs(const Execution& execution,
                                    const MetadataStore& store) {
  ml_metadata::GetEventsByExecutionIDsRequest request;
  request.add_execution_ids(execution.id());
  RK_ASSIGN_OR_RETURN(const auto events,
                      store.GetEventsByExecutionIDs(request));
  IdsByKey inputs;
  for (const Event& event : events.events()) {
    if (IsOutput(event)) continue;
    inputs[KeyOf(event)].push_back(event.artifact_id());
  }
  if (ShortTypeName(execution.type()) == "Trainer") inputs[kBaseModel];
  return inputs;
}

absl::StatusOr<std::map<int64_t, Artifact>> FindStored(
    const InputChoice& choice, const MetadataStore& store) {
  ml_metadata::GetArtifactsByIDRequest request;
  for (const int64_t id : choice.taken) request.add_artifact_ids(id);
  for (const InputChoice::Looked& looked : choice.candidates) {
    if (!looked.taken) request.add_artifact_ids(looked.id);
  }
  std::map<int64_t, Artifact> artifacts;
  if (request.artifact_ids().empty()) return artifacts;
  RK_ASSIGN_OR_RETURN(auto response, store.GetArtifactsByID(request));
  for (Artifact& artifact : *response.mutable_artifacts()) {
    artifacts[artifact.id()] = std::move(artifact);
  }
  return artifacts;
}

// --- what was not recorded --------------------------------------------------

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

std::string JudgeNow(const Artifact& artifact, const std::string& type) {
  const Candidate judged =
      JudgeArtifact(artifact, type, FileRules{ArtifactRoots::Anywhere()});
  if (!judged.taken) return judged.reason;
  return absl::StrCat(
      "usable now (", judged.reason,
      "); the step was told to take another, or could not use it then");
}

// Artifacts of the pipeline that were there when the execution began, newest
// first, down to the one it took.
absl::Status AddPassedOver(const Execution& execution, int64_t pipeline,
                           const MetadataStore& store, InputChoice& choice) {
  NodeQuery query;
  query.type = choice.type_name;
  query.limit = InputChoice::kMaxCandidates;
  query.options.set_filter_query(absl::StrCat(
      "contexts_pipeline.id = ", pipeline,
      " AND create_time_since_epoch <= ", execution.create_time_since_epoch()));
  query.options.mutable_order_by_field()->set_field(
      ml_metadata::ListOperationOptions::OrderByField::ID);
  query.options.mutable_order_by_field()->set_is_asc(false);
  bool reached = false;
  return ForEachNode<Artifact>(
      store, query, [&](const Artifact& artifact) -> absl::Status {
        reached = reached || std::find(choice.taken.begin(), choice.taken.end(),
                                       artifact.id()) != choice.taken.end();
        if (!reached) {
          choice.candidates.push_back(
              {artifact.id(), /*taken=*/false, JudgeNow(artifact, query.type)});
        }
        return absl::OkStatus();
      });
}

absl::StatusOr<InputChoice> GuessChoice(const Execution& execution,
                                        const std::vector<int64_t>& taken,
                                        const MetadataStore& store) {
  InputChoice choice;
  choice.taken = taken;
  RK_ASSIGN_OR_RETURN(const std::vector<Artifact> artifacts,
                      GetNodes<Artifact>(store, taken));
  choice.type_name = artifacts.empty() ? kModelType : artifacts.front().type();
  RK_ASSIGN_OR_RETURN(const std::optional<int64_t> pipeline,
                      FindPipeline(execution.id(), store));
  if (pipeline.has_value()) {
    RK_RETURN_IF_ERROR(AddPassedOver(execution, *pipeline, store, choice));
  }
  return choice;
}

// --- explaining -------------------------------------------------------------

absl::Status NoSuchInput(int64_t execution_id, const std::string& key,
                         const IdsByKey& inputs) {
  std::vector<std::string> keys;
  keys.reserve(inputs.size());
  for (const auto& [name, ids] : inputs) keys.push_back(name);
  return absl::NotFoundError(absl::StrCat(
      "execution ", execution_id, " has no input '", key, "'; it has ",
      keys.empty() ? "none" : absl::StrJoin(keys, ", ")));
}

// "Model 7  /data/7", or what can still be said of it.
std::string Describe(int64_t id, const ExplainedInput& input) {
  const auto found = input.artifacts.find(id);
  if (found == input.artifacts.end()) {
    return absl::StrCat(input.choice.type_name, " ", id, "  (deleted since)");
  }
  return absl::StrCat(found->second.type(), " ", id, "  ", found->second.uri());
}

std::string DescribeTaken(const ExplainedInput& input) {
  if (!input.choice.refusal.empty()) return input.choice.refusal;
  if (input.choice.taken.empty()) return "nothing: it went without";
  return absl::StrJoin(input.choice.taken, ", ",
                       [&input](std::string* out, int64_t id) {
                         absl::StrAppend(out, Describe(id, input));
                       });
}

std::string InputToText(const ExplainedInput& input) {
  const InputChoice& choice = input.choice;
  std::string text = TerminalLine(absl::StrCat(
      input.key,
      choice.reference.empty() ? "" : absl::StrCat(" (", choice.reference, ")"),
      ": ", DescribeTaken(input)));
  absl::StrAppend(&text, "\n");
  std::vector<std::vector<std::string>> rows;
  for (const InputChoice::Looked& looked : choice.candidates) {
    rows.push_back({looked.taken ? "  took" : "  not",
                    absl::StrCat(choice.type_name, " ", looked.id),
                    looked.reason});
  }
  absl::StrAppend(&text, ToTable(std::move(rows)));
  if (choice.more_candidates > 0) {
    absl::StrAppend(&text, "  and ", choice.more_candidates,
                    " more that were looked at\n");
  }
  return text;
}

json ArtifactJson(int64_t id, const ExplainedInput& input) {
  const auto found = input.artifacts.find(id);
  if (found == input.artifacts.end()) return {{"id", id}, {"deleted", true}};
  return {
      {"id", id}, {"type", found->second.type()}, {"uri", found->second.uri()}};
}

json InputToJson(const ExplainedInput& input) {
  const InputChoice& choice = input.choice;
  json chosen = json::array();
  for (const int64_t id : choice.taken) {
    chosen.push_back(ArtifactJson(id, input));
  }
  json candidates = json::array();
  for (const InputChoice::Looked& looked : choice.candidates) {
    json candidate = ArtifactJson(looked.id, input);
    candidate["taken"] = looked.taken;
    candidate["reason"] = looked.reason;
    candidates.push_back(std::move(candidate));
  }
  json result = {{"key", input.key},
                 {"type", choice.type_name},
                 {"chosen", std::move(chosen)},
                 {"candidates", std::move(candidates)},
                 {"more_candidates", choice.more_candidates},
                 {"candidates_recorded", input.recorded}};
  if (!choice.reference.empty()) result["reference"] = choice.reference;
  if (!choice.refusal.empty()) result["refusal"] = choice.refusal;
  return result;
}

}  // namespace

absl::StatusOr<ExecutionChoices> FindInputChoices(int64_t execution_id,
                                                  const std::string& key,
                                                  const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const std::vector<Execution> found,
                      GetNodes<Execution>(store, {execution_id}));
  ExecutionChoices choices;
  choices.execution = found.front();
  const auto recorded = InputChoicesOf(choices.execution);
  RK_ASSIGN_OR_RETURN(IdsByKey inputs, FindInputs(choices.execution, store));
  for (const auto& [name, choice] : recorded) inputs[name];
  if (!key.empty() && !inputs.contains(key)) {
    return NoSuchInput(execution_id, key, inputs);
  }
  for (const auto& [name, ids] : inputs) {
    if (!key.empty() && name != key) continue;
    ExplainedInput& input = choices.inputs.emplace_back();
    input.key = name;
    input.recorded = recorded.contains(name);
    if (input.recorded) {
      input.choice = recorded.at(name);
    } else {
      RK_ASSIGN_OR_RETURN(input.choice,
                          GuessChoice(choices.execution, ids, store));
    }
    RK_ASSIGN_OR_RETURN(input.artifacts, FindStored(input.choice, store));
  }
  return choices;
}

std::string ChoicesToText(const std::vector<ExecutionChoices>& choices) {
  std::string text;
  bool all_recorded = true;
  for (const ExecutionChoices& of : choices) {
    absl::StrAppend(&text, TerminalLine(ShortTypeName(of.execution.type())),
                    "  execution ", of.execution.id(), "  ",
                    Execution::State_Name(of.execution.last_known_state()),
                    "\n");
    for (const ExplainedInput& input : of.inputs) {
      absl::StrAppend(&text, InputToText(input));
      all_recorded = all_recorded && input.recorded;
    }
  }
  if (!all_recorded) {
    absl::StrAppend(&text,
                    "Its writer did not record the candidates: those it did "
                    "not take are judged as they are now.\n");
  }
  return text;
}

json ChoicesToJson(const std::vector<ExecutionChoices>& choices) {
  json list = json::array();
  for (const ExecutionChoices& of : choices) {
    json inputs = json::array();
    for (const ExplainedInput& input : of.inputs) {
      inputs.push_back(InputToJson(input));
    }
    list.push_back(
        {{"execution_id", of.execution.id()}, {"inputs", std::move(inputs)}});
  }
  return list;
}

}  // namespace rekindle

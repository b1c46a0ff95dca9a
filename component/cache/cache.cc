#include "component/cache/cache.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/cache/cache_fields.h"
#include "component/resolve/digest_check.h"
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
using Output = CacheEntry::Output;

// --- loading ----------------------------------------------------------------

bool IsFinished(const Execution& execution) {
  return execution.last_known_state() == Execution::COMPLETE ||
         execution.last_known_state() == Execution::CACHED;
}

// Keys, indexes and ids of what the execution put out; the artifacts are still
// to be filled in.
absl::StatusOr<std::vector<Output>> FindOutputs(int64_t execution_id,
                                                const MetadataStore& store) {
  ml_metadata::GetEventsByExecutionIDsRequest request;
  request.add_execution_ids(execution_id);
  RK_ASSIGN_OR_RETURN(const auto response,
                      store.GetEventsByExecutionIDs(request));
  std::vector<Output> outputs;
  for (const Event& event : response.events()) {
    if (event.type() != Event::OUTPUT) continue;
    const auto& steps = event.path().steps();
    for (int i = 0; i + 1 < steps.size(); i += 2) {
      Output& output = outputs.emplace_back();
      output.key = steps[i].key();
      output.index = steps[i + 1].index();
      output.artifact.set_id(event.artifact_id());
    }
  }
  std::sort(outputs.begin(), outputs.end(),
            [](const Output& a, const Output& b) {
              return std::tie(a.key, a.index) < std::tie(b.key, b.index);
            });
  return outputs;
}

absl::Status FillArtifacts(const MetadataStore& store,
                           std::vector<Output>& outputs) {
  ml_metadata::GetArtifactsByIDRequest request;
  for (const Output& output : outputs) {
    request.add_artifact_ids(output.artifact.id());
  }
  RK_ASSIGN_OR_RETURN(const auto response, store.GetArtifactsByID(request));
  std::map<int64_t, Artifact> by_id;
  for (const Artifact& artifact : response.artifacts()) {
    by_id[artifact.id()] = artifact;
  }
  for (Output& output : outputs) {
    const auto found = by_id.find(output.artifact.id());
    if (found != by_id.end()) output.artifact = found->second;
  }
  return absl::OkStatus();
}

// Its own mark, or that of the execution it took its outputs from.
absl::StatusOr<std::string> FindInvalidation(const CacheEntry& entry,
                                             const MetadataStore& store) {
  std::string own = CustomString(entry.execution, kCacheInvalidatedProperty);
  if (!own.empty() || entry.ComputedBy() == entry.execution.id()) return own;
  ml_metadata::GetExecutionsByIDRequest request;
  request.add_execution_ids(entry.ComputedBy());
  RK_ASSIGN_OR_RETURN(const auto response, store.GetExecutionsByID(request));
  if (response.executions().empty()) return "";
  return CustomString(response.executions(0), kCacheInvalidatedProperty);
}

// --- judging ----------------------------------------------------------------

constexpr absl::string_view kOutputField = "output.";

// A key that the step promised and the execution has no artifact for.
std::optional<std::string> MissingKey(const CacheEntry& entry) {
  for (const auto& [name, type] : entry.fields) {
    absl::string_view key = name;
    if (!absl::ConsumePrefix(&key, kOutputField)) continue;
    const bool there =
        std::any_of(entry.outputs.begin(), entry.outputs.end(),
                    [&](const Output& output) { return output.key == key; });
    if (!there) return std::string(key);
  }
  return std::nullopt;
}

std::string WhyUnusable(const Artifact& artifact, const FileRules& rules) {
  if (artifact.state() != Artifact::LIVE) {
    return absl::StrCat("is ", Artifact::State_Name(artifact.state()));
  }
  if (CustomInt(artifact, "train_complete") == 0) {
    return "is a partial model (train_complete is 0)";
  }
  const FilesVerdict files = CheckFiles(artifact, rules);
  return files.usable ? "" : absl::StrCat("cannot be used: ", files.reason);
}

// --- looking up -------------------------------------------------------------

absl::StatusOr<std::optional<int64_t>> FindCacheContext(
    const std::string& key, const MetadataStore& store) {
  ml_metadata::GetContextByTypeAndNameRequest request;
  request.set_type_name(kCacheContextType);
  request.set_context_name(key);
  RK_ASSIGN_OR_RETURN(const auto response,
                      store.GetContextByTypeAndName(request));
  if (!response.has_context()) return std::nullopt;
  return response.context().id();
}

ml_metadata::GetExecutionsByContextRequest NewestFinishedFirst(
    int64_t context_id) {
  using OrderByField = ml_metadata::ListOperationOptions::OrderByField;
  ml_metadata::GetExecutionsByContextRequest request;
  request.set_context_id(context_id);
  auto& options = *request.mutable_options();
  options.set_max_result_size(20);
  options.mutable_order_by_field()->set_field(OrderByField::ID);
  options.mutable_order_by_field()->set_is_asc(false);
  options.set_filter_query("last_known_state IN (COMPLETE, CACHED)");
  return request;
}

// Judges `execution` unless the one that computed its outputs was judged. That
// it is in the key's context proves nothing: its own fields must give the key.
absl::Status Consider(const Execution& execution, const std::string& key,
                      const CacheTerms& terms, const MetadataStore& store,
                      std::set<int64_t>& judged, CacheAnswer& answer) {
  RK_ASSIGN_OR_RETURN(std::optional<CacheEntry> entry,
                      LoadCacheEntry(execution, store));
  if (!entry.has_value() || CacheKeyOf(entry->fields) != key ||
      !judged.insert(entry->ComputedBy()).second) {
    return absl::OkStatus();
  }
  std::string reason = WhyUnusable(*entry, terms);
  if (reason.empty()) {
    answer.hit = *std::move(entry);
  } else {
    answer.rejected.push_back({entry->ComputedBy(), std::move(reason)});
  }
  return absl::OkStatus();
}

// --- decisions --------------------------------------------------------------

constexpr std::array<absl::string_view, 3> kDecisionNames = {"off", "miss",
                                                             "hit"};

std::optional<CacheDecision::Kind> ParseDecision(const nlohmann::json& name) {
  if (!name.is_string()) return std::nullopt;
  const auto* found = std::find(kDecisionNames.begin(), kDecisionNames.end(),
                                name.get<std::string>());
  if (found == kDecisionNames.end()) return std::nullopt;
  return static_cast<CacheDecision::Kind>(found - kDecisionNames.begin());
}

bool IsRejection(const nlohmann::json& json) {
  return json.is_object() && json.contains("execution_id") &&
         json["execution_id"].is_number_integer() && json.contains("reason") &&
         json["reason"].is_string();
}

}  // namespace

int64_t CacheEntry::ComputedBy() const {
  return CustomInt(execution, kCachedFromProperty).value_or(execution.id());
}

absl::Time CacheEntry::CreateTime() const {
  int64_t millis = execution.create_time_since_epoch();
  for (const Output& output : outputs) {
    millis = std::min(millis, output.artifact.create_time_since_epoch());
  }
  return absl::FromUnixMillis(millis);
}

absl::StatusOr<std::optional<CacheEntry>> LoadCacheEntry(
    const Execution& execution, const MetadataStore& store) {
  std::optional<CacheFields> fields =
      FieldsFromJson(CustomString(execution, kCacheFieldsProperty));
  if (!IsFinished(execution) || !fields.has_value()) return std::nullopt;
  CacheEntry entry;
  entry.execution = execution;
  entry.fields = *std::move(fields);
  RK_ASSIGN_OR_RETURN(entry.outputs, FindOutputs(execution.id(), store));
  RK_RETURN_IF_ERROR(FillArtifacts(store, entry.outputs));
  RK_ASSIGN_OR_RETURN(entry.invalidated, FindInvalidation(entry, store));
  return entry;
}

std::string WhyUnusable(const CacheEntry& entry, const CacheTerms& terms) {
  if (!entry.invalidated.empty()) {
    return absl::StrCat("it was invalidated at ", entry.invalidated);
  }
  if (const absl::Duration old = terms.now - entry.CreateTime();
      old > terms.max_age) {
    return absl::StrCat(
        "it is ", absl::FormatDuration(absl::Trunc(old, absl::Seconds(1))),
        " old, more than the maximum age ",
        absl::FormatDuration(terms.max_age));
  }
  if (const auto missing = MissingKey(entry)) {
    return absl::StrCat("it has no output '", *missing, "'");
  }
  for (const Output& output : entry.outputs) {
    if (const std::string reason = WhyUnusable(output.artifact, terms.files);
        !reason.empty()) {
      return absl::StrCat("output '", output.key, "', artifact ",
                          output.artifact.id(), ", ", reason);
    }
  }
  return "";
}

absl::StatusOr<CacheAnswer> LookUp(const std::string& key,
                                   const CacheTerms& terms,
                                   const MetadataStore& store) {
  CacheAnswer answer;
  RK_ASSIGN_OR_RETURN(const std::optional<int64_t> context,
                      FindCacheContext(key, store));
  if (!context.has_value()) return answer;
  std::set<int64_t> judged;
  auto request = NewestFinishedFirst(*context);
  do {
    RK_ASSIGN_OR_RETURN(const auto page, store.GetExecutionsByContext(request));
    for (const Execution& execution : page.executions()) {
      RK_RETURN_IF_ERROR(
          Consider(execution, key, terms, store, judged, answer));
      if (answer.hit.has_value()) return answer;
    }
    request.mutable_options()->set_next_page_token(page.next_page_token());
  } while (!request.options().next_page_token().empty());
  return answer;
}

std::string CacheDecision::ToJson() const {
  nlohmann::json json = {
      {"decision", std::string(kDecisionNames.at(static_cast<size_t>(kind)))}};
  for (const CacheRejection& rejection : rejected) {
    json["rejected"].push_back({{"execution_id", rejection.execution_id},
                                {"reason", rejection.reason}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<CacheDecision> CacheDecision::FromJson(const std::string& text) {
  const auto json =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("decision")) return std::nullopt;
  const std::optional<Kind> kind = ParseDecision(json["decision"]);
  if (!kind.has_value()) return std::nullopt;
  CacheDecision decision;
  decision.kind = *kind;
  for (const auto& entry : json.value("rejected", nlohmann::json::array())) {
    if (!IsRejection(entry)) continue;
    decision.rejected.push_back({entry["execution_id"].get<int64_t>(),
                                 entry["reason"].get<std::string>()});
  }
  return decision;
}

}  // namespace rekindle

#include "cli/step_plan.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/node_json.h"
#include "cli/table.h"
#include "cli/terminal_text.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "component/launch/cache_forecast.h"
#include "component/launch/failure.h"
#include "component/launch/plan.h"
#include "component/launch/step.h"
#include "component/resolve/candidate.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Execution;
using nlohmann::json;

// What a command would do with the execution: "run", "reopen" it, "answer" with
// what it has put out, or "fail".
std::string Outcome(const StepPlan& plan) {
  if (plan.IsFinished()) return "answer";
  if (!plan.ready.ok()) return "fail";
  return plan.earlier.has_value() ? "reopen" : "run";
}

std::string OutcomeText(const StepPlan& plan) {
  if (!plan.earlier.has_value()) return absl::StrCat("would ", Outcome(plan));
  return absl::StrCat("would ", Outcome(plan), ": execution ",
                      plan.earlier->id(), " is ",
                      Execution::State_Name(plan.earlier->last_known_state()));
}

std::string ChosenText(const Resolution& resolution) {
  if (resolution.chosen.empty()) return "nothing";
  return absl::StrJoin(
      resolution.chosen, ", ", [](std::string* out, const Artifact& artifact) {
        absl::StrAppend(out, artifact.id(), "  ", artifact.uri());
      });
}

std::string InputText(const InputSpec& input, const Resolution& resolution) {
  std::string text = TerminalLine(absl::StrCat("  in   ", input.key, " (",
                                               input.ref.ToString(),
                                               "): ", ChosenText(resolution)));
  absl::StrAppend(&text, "\n");
  std::vector<std::vector<std::string>> rows;
  for (const Candidate& candidate : resolution.candidates) {
    rows.push_back(
        {candidate.taken ? "         took" : "         not",
         absl::StrCat(candidate.artifact.type(), " ", candidate.artifact.id()),
         candidate.reason});
  }
  absl::StrAppend(&text, ToTable(std::move(rows)));
  if (resolution.more_passed_over > 0) {
    absl::StrAppend(&text, "         and ", resolution.more_passed_over,
                    " more that were looked at\n");
  }
  return text;
}

// In one line: some are JSON with indentation.
std::string ParameterText(const std::string& name, const json& value) {
  const std::string text =
      value.is_string() ? value.get<std::string>() : value.dump();
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \n\t"), absl::SkipEmpty());
  return absl::StrCat("  set  ", name, ": ", absl::StrJoin(words, " "), "\n");
}

json ParametersJson(const StepSpec& spec) {
  json parameters = json::object();
  for (const auto& [name, value] : spec.parameters) {
    parameters[name] = ToJson(value);
  }
  return parameters;
}

json InputJson(const InputSpec& input, const Resolution& resolution) {
  json chosen = json::array();
  for (const Artifact& artifact : resolution.chosen) {
    chosen.push_back({{"id", artifact.id()}, {"uri", artifact.uri()}});
  }
  json candidates = json::array();
  for (const Candidate& candidate : resolution.candidates) {
    candidates.push_back({{"id", candidate.artifact.id()},
                          {"uri", candidate.artifact.uri()},
                          {"taken", candidate.taken},
                          {"reason", candidate.reason}});
  }
  return {{"type", input.type_name},
          {"reference", input.ref.ToString()},
          {"required", input.required},
          {"chosen", std::move(chosen)},
          {"candidates", std::move(candidates)},
          {"more_candidates", resolution.more_passed_over}};
}

std::string NamesOf(const std::vector<FieldDifference>& differences) {
  return absl::StrJoin(differences, ", ",
                       [](std::string* out, const FieldDifference& difference) {
                         absl::StrAppend(out, difference.name);
                       });
}

std::string CacheText(const CacheForecast& cache) {
  if (cache.hit.has_value()) {
    return absl::StrCat("would reuse the outputs of execution ",
                        cache.hit->ComputedBy());
  }
  if (cache.decision.kind == CacheDecision::Kind::kOff) return "not asked";
  std::string text = "nothing to reuse";
  for (const CacheRejection& rejection : cache.decision.rejected) {
    absl::StrAppend(&text, "; execution ", rejection.execution_id, ": ",
                    rejection.reason);
  }
  if (cache.nearest.has_value() && !cache.nearest->differences.empty()) {
    absl::StrAppend(&text, "; execution ", cache.nearest->execution_id,
                    " differs in ", NamesOf(cache.nearest->differences));
  }
  return text;
}

json CacheJson(const CacheForecast& cache) {
  json result = json::parse(cache.decision.ToJson());
  result["key"] = cache.key();
  if (cache.hit.has_value()) result["execution_id"] = cache.hit->ComputedBy();
  if (cache.nearest.has_value()) {
    json differing = json::array();
    for (const FieldDifference& difference : cache.nearest->differences) {
      differing.push_back(difference.name);
    }
    result["nearest"] = {{"execution_id", cache.nearest->execution_id},
                         {"differs_in", std::move(differing)}};
  }
  return result;
}

}  // namespace

std::string PlanToText(const StepSpec& spec, const StepPlan& plan,
                       const std::optional<CacheForecast>& cache) {
  std::string text =
      absl::StrCat(spec.node_id, " ", OutcomeText(plan), "  run ", spec.run_id,
                   "  (dry run: nothing was written)\n");
  for (const InputSpec& input : spec.inputs) {
    absl::StrAppend(&text, InputText(input, plan.inputs.at(input.key)));
  }
  for (const auto& [name, value] : spec.parameters) {
    absl::StrAppend(&text, ParameterText(name, ToJson(value)));
  }
  if (cache.has_value()) {
    absl::StrAppend(&text, "  cache  ", TerminalLine(CacheText(*cache)), "\n");
  }
  return text;
}

json PlanToJson(const StepSpec& spec, const StepPlan& plan,
                const std::optional<CacheForecast>& cache) {
  json result = {{"dry_run", true},        {"pipeline", spec.pipeline},
                 {"run_id", spec.run_id},  {"node_id", spec.node_id},
                 {"would", Outcome(plan)}, {"inputs", json::object()}};
  for (const InputSpec& input : spec.inputs) {
    result["inputs"][input.key] = InputJson(input, plan.inputs.at(input.key));
  }
  result["parameters"] = ParametersJson(spec);
  if (plan.earlier.has_value()) {
    result["execution_id"] = plan.earlier->id();
    result["state"] = Execution::State_Name(plan.earlier->last_known_state());
  }
  if (cache.has_value()) result["cache"] = CacheJson(*cache);
  if (!plan.ready.ok()) {
    result["error"] = {
        {"code", absl::StatusCodeToString(plan.ready.code())},
        {"reason", std::string(FailureReasonName(ReasonOf(plan.ready)))},
        {"message", std::string(plan.ready.message())}};
  }
  return result;
}

}  // namespace rekindle

#include "cli/step_report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/node_json.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "component/resolve/candidate.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using nlohmann::json;

std::string StateName(const StepReport& report) {
  return ml_metadata::Execution::State_Name(report.state);
}

std::string InputText(const Resolution& resolution) {
  if (!resolution.chosen.empty()) {
    return absl::StrJoin(
        resolution.chosen, ", ",
        [](std::string* out, const ml_metadata::Artifact& artifact) {
          absl::StrAppend(out, artifact.id(), "  ", artifact.uri());
        });
  }
  if (resolution.candidates.empty()) return "none";
  return absl::StrCat("none of ", resolution.candidates.size(),
                      " could be used");
}

// Numbers among an artifact's custom properties: what was measured.
std::vector<std::string> Measures(const ml_metadata::Artifact& artifact) {
  std::vector<std::string> measures;
  for (const auto& [name, value] : artifact.custom_properties()) {
    if (value.has_double_value()) {
      measures.push_back(
          absl::StrFormat("%s=%.6g", name, value.double_value()));
    }
  }
  std::sort(measures.begin(), measures.end());
  return measures;
}

}  // namespace

json ReportToJson(const StepSpec& spec, const StepReport& report) {
  json result = {
      {"pipeline", spec.pipeline},
      {"run_id", spec.run_id},
      {"node_id", spec.node_id},
      {"state", StateName(report)},
      {"execution_id", report.execution_id},
      {"attempt", report.attempt},
      {"finished_before", report.finished_before},
      {"inputs", json::object()},
      {"outputs", json::object()},
      {"execution_properties", PropertiesToJson(report.execution_properties)}};
  for (const auto& [key, resolution] : report.inputs) {
    json chosen = json::array();
    for (const ml_metadata::Artifact& artifact : resolution.chosen) {
      chosen.push_back(ToJson(artifact));
    }
    if (!chosen.empty()) result["inputs"][key] = std::move(chosen);
  }
  for (const StepReport::Output& output : report.outputs) {
    result["outputs"][output.key] = ToJson(output.artifact);
  }
  if (!report.error.ok()) {
    result["error"] = {
        {"code", absl::StatusCodeToString(report.error.code())},
        {"reason", std::string(FailureReasonName(ReasonOf(report.error)))},
        {"message", std::string(report.error.message())}};
  }
  return result;
}

std::string ReportToText(const StepSpec& spec, const StepReport& report,
                         absl::Duration took) {
  std::string text = absl::StrFormat(
      "%s %s  execution %d, attempt %d, run %s, %.2f s%s\n", spec.node_id,
      StateName(report), report.execution_id, report.attempt, spec.run_id,
      absl::ToDoubleSeconds(took),
      report.finished_before ? "  (an earlier command had finished it)" : "");
  for (const auto& [key, resolution] : report.inputs) {
    absl::StrAppendFormat(&text, "  in   %-11s %s\n", key,
                          InputText(resolution));
  }
  for (const StepReport::Output& output : report.outputs) {
    absl::StrAppendFormat(&text, "  out  %-11s %d  %s\n", output.key,
                          output.artifact.id(), output.artifact.uri());
    for (const std::string& measure : Measures(output.artifact)) {
      absl::StrAppendFormat(&text, "       %-11s %s\n", "", measure);
    }
  }
  return text;
}

}  // namespace rekindle

#include "cli/step_report.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "cli/node_json.h"
#include "cli/table.h"
#include "cli/terminal_text.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "component/resolve/candidate.h"
#include "component/steps/blessing_artifact.h"
#include "component/steps/push.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using nlohmann::json;

std::string StateName(const StepReport& report) {
  return ml_metadata::Execution::State_Name(report.state);
}

using Rows = std::vector<std::vector<std::string>>;

void AddArtifact(const std::string& side, const std::string& key,
                 const ml_metadata::Artifact& artifact, Rows& rows) {
  rows.push_back({side, key, absl::StrCat(artifact.type(), " ", artifact.id()),
                  artifact.uri()});
}

void AddInput(const std::string& key, const Resolution& resolution,
              Rows& rows) {
  for (const ml_metadata::Artifact& artifact : resolution.chosen) {
    AddArtifact("  in", key, artifact, rows);
  }
  if (!resolution.chosen.empty()) return;
  rows.push_back({"  in", key, "none",
                  resolution.candidates.empty()
                      ? ""
                      : absl::StrCat("none of ", resolution.candidates.size(),
                                     " could be used")});
}

// Doubles among an artifact's custom properties: what was measured.
void AddMeasures(const ml_metadata::Artifact& artifact, Rows& rows) {
  std::map<std::string, double> measures;
  for (const auto& [name, value] : artifact.custom_properties()) {
    if (value.has_double_value()) measures[name] = value.double_value();
  }
  for (const auto& [name, value] : measures) {
    rows.push_back({"", "", name, absl::StrFormat("%.6g", value)});
  }
}

// A model that ran out of time must say so.
std::string PartialNote(const StepReport::Output& output) {
  const auto& properties = output.artifact.custom_properties();
  const auto complete = properties.find("train_complete");
  if (complete == properties.end() || complete->second.int_value() != 0) {
    return "";
  }
  const auto step = properties.find("global_step");
  return absl::StrCat("  ", output.key,
                      " is partial: training stopped at step ",
                      step == properties.end() ? 0 : step->second.int_value(),
                      " to keep the deadline; train_complete is 0\n");
}

// Whether a model was blessed or pushed, in the words of the step.
std::string VerdictNote(const StepReport::Output& output) {
  const std::string blessing =
      CustomString(output.artifact, kBlessingMessageProperty);
  const std::string push = CustomString(output.artifact, kPushMessageProperty);
  if (!push.empty()) return absl::StrCat("  ", TerminalLine(push), "\n");
  if (blessing.empty()) return "";
  const auto blessed = CustomInt(output.artifact, kBlessedProperty);
  const char* verdict = !blessed.has_value() ? "not judged"
                        : *blessed == 1      ? "blessed"
                                             : "not blessed";
  return absl::StrCat("  ", verdict, ": ", TerminalLine(blessing), "\n");
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
      {"cached", report.state == ml_metadata::Execution::CACHED},
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
  if (!report.role.empty()) result["role"] = report.role;
  if (report.cached_from.has_value()) {
    result["cached_from"] = *report.cached_from;
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
      "%s %s in %.2f s  execution %d, run %s", spec.node_id,
      report.role.empty() ? StateName(report) : report.role,
      absl::ToDoubleSeconds(took), report.execution_id, spec.run_id);
  if (report.attempt > 1) {
    absl::StrAppend(&text, ", attempt ", report.attempt);
  }
  if (report.finished_before) {
    absl::StrAppend(&text, "  (an earlier command had finished it)");
  }
  if (report.cached_from.has_value()) {
    absl::StrAppend(&text, "  (the outputs are those of execution ",
                    *report.cached_from, ")");
  }
  Rows rows;
  std::string notes;
  for (const auto& [key, resolution] : report.inputs) {
    AddInput(key, resolution, rows);
  }
  for (const StepReport::Output& output : report.outputs) {
    AddArtifact("  out", output.key, output.artifact, rows);
    AddMeasures(output.artifact, rows);
    absl::StrAppend(&notes, PartialNote(output), VerdictNote(output));
  }
  return absl::StrCat(text, "\n", ToTable(rows), notes);
}

}  // namespace rekindle

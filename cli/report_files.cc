#include "cli/report_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "cli/output.h"
#include "cli/step_report.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "component/resolve/digest_check.h"
#include "component/steps/blessing_artifact.h"
#include "component/steps/typed_values.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

constexpr char kReportFile[] = "report.json";
constexpr char kFilesKey[] = "files";

std::string BoolText(bool value) { return value ? "true" : "false"; }

// Numbers that every artifact has, and that say nothing of this one.
bool IsOfEveryArtifact(absl::string_view property) {
  return property == "is_external" || property == "span";
}

// Integers that stand for true and false.
bool IsYesOrNo(absl::string_view property) {
  return property == "train_complete" || property == kBlessedProperty ||
         property == "pushed";
}

void AddOutput(const StepReport::Output& output,
               std::map<std::string, std::string>& values) {
  const ml_metadata::Artifact& artifact = output.artifact;
  values.emplace(output.key + "_id", absl::StrCat(artifact.id()));
  values.emplace(output.key + "_uri", artifact.uri());
  values.emplace(output.key + "_digest",
                 CustomString(artifact, kDigestProperty));
  for (const auto& [name, value] : artifact.custom_properties()) {
    if (IsYesOrNo(name)) {
      values.emplace(name, BoolText(value.int_value() != 0));
    } else if ((value.has_int_value() || value.has_double_value()) &&
               !IsOfEveryArtifact(name)) {
      values.emplace(name, ValueToText(value));
    }
  }
}

// A file's name for the value: names of metrics may hold anything.
std::string FileName(const std::string& value_name) {
  std::string name = value_name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

// A reader sees all of it or nothing. Not flushed to the disk: whoever reads it
// is waiting for this process to end.
absl::Status WriteWhole(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".unfinished";
  {
    std::ofstream file(unfinished, std::ios::binary);
    file << text;
    file.close();
    if (file.fail()) {
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot write ", unfinished));
    }
  }
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  if (!error) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot rename ", unfinished, " to ", path, ": ", error.message()));
}

}  // namespace

std::map<std::string, std::string> ReportValues(const StepSpec& spec,
                                                const StepReport& report) {
  std::map<std::string, std::string> values = {
      {"attempt", absl::StrCat(report.attempt)},
      {"execution_id", absl::StrCat(report.execution_id)},
      {"run_id", spec.run_id},
      {"state", ml_metadata::Execution::State_Name(report.state)}};
  if (!report.error.ok()) {
    values["failure_reason"] =
        std::string(FailureReasonName(ReasonOf(report.error)));
    values["failure_message"] = std::string(report.error.message());
    return values;
  }
  values["cached"] = BoolText(report.state == ml_metadata::Execution::CACHED);
  for (const StepReport::Output& output : report.outputs) {
    AddOutput(output, values);
  }
  // Whoever waits for it gets an answer in any case.
  const bool may_bless = std::any_of(
      spec.outputs.begin(), spec.outputs.end(), [](const OutputSpec& output) {
        return output.type.name() == "ModelBlessing";
      });
  if (may_bless) values.emplace(kBlessedProperty, "none");
  const bool may_start_warm = std::any_of(
      spec.inputs.begin(), spec.inputs.end(),
      [](const InputSpec& input) { return input.key == "base_model"; });
  if (may_start_warm) values.emplace("warm_started_from", "none");
  return values;
}

absl::Status PrepareReportFiles(const std::string& folder) {
  if (folder.empty()) return absl::OkStatus();
  RK_RETURN_IF_ERROR(MakeWritableDir(folder));
  const std::string report = JoinPath(folder, kReportFile);
  const auto text = ReadFile(report);
  if (!text.ok()) return absl::OkStatus();
  const auto old = nlohmann::json::parse(*text, nullptr,
                                         /*allow_exceptions=*/false);
  if (!old.is_object() || !old.contains(kFilesKey)) return absl::OkStatus();
  for (const auto& name : old[kFilesKey]) {
    if (!name.is_string()) continue;
    RK_RETURN_IF_ERROR(
        RemoveTree(JoinPath(folder, FileName(name.get<std::string>()))));
  }
  return RemoveTree(report);
}

absl::Status WriteReportFiles(const std::string& folder, const StepSpec& spec,
                              const StepReport& report) {
  if (folder.empty()) return absl::OkStatus();
  nlohmann::json json = ReportToJson(spec, report);
  json[kFilesKey] = nlohmann::json::array();
  for (const auto& [name, text] : ReportValues(spec, report)) {
    RK_RETURN_IF_ERROR(WriteWhole(JoinPath(folder, FileName(name)), text));
    json[kFilesKey].push_back(FileName(name));
  }
  return WriteWhole(JoinPath(folder, kReportFile), ToJsonText(json));
}

}  // namespace rekindle

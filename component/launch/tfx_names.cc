#include "component/launch/tfx_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

using ml_metadata::Artifact;
using ml_metadata::ArtifactType;
using ml_metadata::ExecutionType;

// Which properties a type declares.
enum class Declares { kNothing, kSplits, kSplitsAndVersion };

struct StandardType {
  absl::string_view name;
  ArtifactType::SystemDefinedBaseType base;
  Declares declares = Declares::kNothing;
  bool is_value = false;  // one value, in a file
};

constexpr std::array<StandardType, 25> kStandardTypes = {{
    {"Boolean", ArtifactType::UNSET, Declares::kNothing, true},
    {"Bytes", ArtifactType::UNSET, Declares::kNothing, true},
    {"Config", ArtifactType::UNSET},
    {"DataView", ArtifactType::UNSET},
    {"ExampleAnomalies", ArtifactType::UNSET, Declares::kSplits},
    {"ExampleStatistics", ArtifactType::STATISTICS, Declares::kSplits},
    {"ExampleValidationMetrics", ArtifactType::UNSET, Declares::kSplits},
    {"Examples", ArtifactType::DATASET, Declares::kSplitsAndVersion},
    {"ExamplesDiff", ArtifactType::UNSET},
    {"Float", ArtifactType::UNSET, Declares::kNothing, true},
    {"HyperParameters", ArtifactType::UNSET},
    {"InferenceResult", ArtifactType::UNSET},
    {"InfraBlessing", ArtifactType::UNSET},
    {"Integer", ArtifactType::UNSET, Declares::kNothing, true},
    {"JsonValue", ArtifactType::UNSET, Declares::kNothing, true},
    {"Model", ArtifactType::MODEL},
    {"ModelBlessing", ArtifactType::UNSET},
    {"ModelEvaluation", ArtifactType::UNSET},
    {"ModelRun", ArtifactType::UNSET},
    {"PushedModel", ArtifactType::MODEL},
    {"Schema", ArtifactType::UNSET},
    {"String", ArtifactType::UNSET, Declares::kNothing, true},
    {"TransformCache", ArtifactType::UNSET},
    {"TransformGraph", ArtifactType::UNSET},
    {"TunerResults", ArtifactType::UNSET},
}};

const StandardType* FindStandardType(absl::string_view name) {
  const auto* found = std::find_if(
      kStandardTypes.begin(), kStandardTypes.end(),
      [name](const StandardType& type) { return type.name == name; });
  return found == kStandardTypes.end() ? nullptr : found;
}

ArtifactType MakeArtifactType(const StandardType& standard) {
  ArtifactType type;
  type.set_name(std::string(standard.name));
  auto& properties = *type.mutable_properties();
  if (standard.declares != Declares::kNothing) {
    properties["span"] = ml_metadata::INT;
    properties["split_names"] = ml_metadata::STRING;
  }
  if (standard.declares == Declares::kSplitsAndVersion) {
    properties["version"] = ml_metadata::INT;
  }
  if (standard.base != ArtifactType::UNSET) type.set_base_type(standard.base);
  return type;
}

ExecutionType NamedExecutionType(const std::string& name) {
  ExecutionType type;
  type.set_name(name);
  return type;
}

// Whether "1.21.0" is 0.29 or later, from when on folders have their new names.
bool IsNewVersion(absl::string_view version) {
  const std::vector<absl::string_view> parts = absl::StrSplit(version, '.');
  int major = 0;
  int minor = 0;
  if (!absl::SimpleAtoi(parts[0], &major)) return false;
  if (parts.size() > 1 && !absl::SimpleAtoi(parts[1], &minor)) return false;
  return major > 0 || minor >= 29;
}

bool HasNewLayout(const Artifact& artifact) {
  // Not from a store: it is being written now.
  if (artifact.state() == Artifact::UNKNOWN) return true;
  return IsNewVersion(CustomString(artifact, "tfx_version"));
}

absl::StatusOr<std::string> OnlyFolderIn(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory()) found.push_back(entry.path());
  }
  if (found.size() == 1) return found.front();
  return absl::FailedPreconditionError(
      absl::StrCat(folder, " holds ", found.size(),
                   " folders; a model of this layout has exactly one there"));
}

}  // namespace

std::optional<ArtifactType> StandardArtifactType(absl::string_view name) {
  const StandardType* standard = FindStandardType(name);
  if (standard == nullptr) return std::nullopt;
  return MakeArtifactType(*standard);
}

std::vector<std::string> StandardArtifactTypeNames() {
  std::vector<std::string> names;
  names.reserve(kStandardTypes.size());
  for (const StandardType& type : kStandardTypes) names.emplace_back(type.name);
  return names;
}

absl::string_view ContentSuffix(const ArtifactType& type) {
  const StandardType* standard = FindStandardType(type.name());
  return standard != nullptr && standard->is_value ? "/value" : "";
}

ArtifactType ExamplesType() { return *StandardArtifactType("Examples"); }
ArtifactType ExampleStatisticsType() {
  return *StandardArtifactType("ExampleStatistics");
}
ArtifactType SchemaType() { return *StandardArtifactType("Schema"); }
ArtifactType ModelType() { return *StandardArtifactType("Model"); }
ArtifactType ModelRunType() { return *StandardArtifactType("ModelRun"); }
ArtifactType ModelEvaluationType() {
  return *StandardArtifactType("ModelEvaluation");
}
ArtifactType ModelBlessingType() {
  return *StandardArtifactType("ModelBlessing");
}
ArtifactType PushedModelType() { return *StandardArtifactType("PushedModel"); }

ExecutionType CsvExampleGenType() {
  return NamedExecutionType(
      "tfx.components.example_gen.csv_example_gen.component.CsvExampleGen");
}

ExecutionType ImportExampleGenType() {
  return NamedExecutionType(
      "tfx.components.example_gen.import_example_gen.component."
      "ImportExampleGen");
}

ExecutionType StatisticsGenType() {
  ExecutionType type = NamedExecutionType(
      "tfx.components.statistics_gen.component.StatisticsGen");
  type.set_base_type(ExecutionType::PROCESS);
  return type;
}

ExecutionType SchemaGenType() {
  ExecutionType type =
      NamedExecutionType("tfx.components.schema_gen.component.SchemaGen");
  type.set_base_type(ExecutionType::PROCESS);
  return type;
}

ExecutionType TrainerType() {
  ExecutionType type =
      NamedExecutionType("tfx.components.trainer.component.Trainer");
  type.set_base_type(ExecutionType::TRAIN);
  return type;
}

ExecutionType EvaluatorType() {
  ExecutionType type =
      NamedExecutionType("tfx.components.evaluator.component.Evaluator");
  type.set_base_type(ExecutionType::EVALUATE);
  return type;
}

ExecutionType PusherType() {
  ExecutionType type =
      NamedExecutionType("tfx.components.pusher.component.Pusher");
  type.set_base_type(ExecutionType::DEPLOY);
  return type;
}

ExecutionType ResolverType() {
  return NamedExecutionType("tfx.dsl.components.common.resolver.Resolver");
}

ExecutionType ImporterType() {
  return NamedExecutionType("tfx.dsl.components.common.importer.Importer");
}

std::string SplitDir(const Artifact& examples, const std::string& split) {
  return JoinPath(examples.uri(), HasNewLayout(examples)
                                      ? absl::StrCat("Split-", split)
                                      : split);
}

absl::StatusOr<std::string> ServingModelDir(const Artifact& model) {
  std::string folder =
      JoinPath(model.uri(),
               HasNewLayout(model) ? "Format-Serving" : "serving_model_dir");
  const std::string exports = JoinPath(folder, "export");
  if (!PathExists(exports)) return folder;
  RK_ASSIGN_OR_RETURN(const std::string name, OnlyFolderIn(exports));
  return OnlyFolderIn(name);
}

}  // namespace rekindle

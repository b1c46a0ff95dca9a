#include "component/launch/tfx_names.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::ArtifactType;
using ml_metadata::ExecutionType;

ArtifactType NamedArtifactType(const std::string& name) {
  ArtifactType type;
  type.set_name(name);
  return type;
}

ExecutionType NamedExecutionType(const std::string& name) {
  ExecutionType type;
  type.set_name(name);
  return type;
}

// TFX renamed its folders in 0.29, and tells by this property.
bool HasNewLayout(const Artifact& artifact) {
  return FindCustomProperty(artifact, "tfx_version") != nullptr;
}

}  // namespace

ArtifactType ExamplesType() {
  ArtifactType type = NamedArtifactType("Examples");
  auto& properties = *type.mutable_properties();
  properties["span"] = ml_metadata::INT;
  properties["version"] = ml_metadata::INT;
  properties["split_names"] = ml_metadata::STRING;
  type.set_base_type(ArtifactType::DATASET);
  return type;
}

ArtifactType SchemaType() { return NamedArtifactType("Schema"); }

ArtifactType ModelType() {
  ArtifactType type = NamedArtifactType("Model");
  type.set_base_type(ArtifactType::MODEL);
  return type;
}

ArtifactType ModelRunType() { return NamedArtifactType("ModelRun"); }

ExecutionType CsvExampleGenType() {
  return NamedExecutionType(
      "tfx.components.example_gen.csv_example_gen.component.CsvExampleGen");
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

std::string SplitDir(const Artifact& examples, const std::string& split) {
  return JoinPath(examples.uri(), HasNewLayout(examples)
                                      ? absl::StrCat("Split-", split)
                                      : split);
}

std::string ServingModelDir(const Artifact& model) {
  return JoinPath(model.uri(),
                  HasNewLayout(model) ? "Format-Serving" : "serving_model_dir");
}

}  // namespace rekindle

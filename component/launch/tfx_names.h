#ifndef REKINDLE_COMPONENT_LAUNCH_TFX_NAMES_H_
#define REKINDLE_COMPONENT_LAUNCH_TFX_NAMES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Names that TFX's tools look for in the store. They must not change.

// The version we write like. An artifact without one is taken for a very old
// one, and its files are looked for elsewhere.
inline constexpr char kTfxVersion[] = "1.21.0";

// Artifact types, with the properties and base types TFX declares: its readers
// compare them field by field.
ml_metadata::ArtifactType ExamplesType();
ml_metadata::ArtifactType ExampleStatisticsType();
ml_metadata::ArtifactType SchemaType();
ml_metadata::ArtifactType ModelType();
ml_metadata::ArtifactType ModelRunType();
ml_metadata::ArtifactType ModelEvaluationType();
ml_metadata::ArtifactType ModelBlessingType();
ml_metadata::ArtifactType PushedModelType();

// Any of the types that TFX declares, by its name; nullopt for others.
std::optional<ml_metadata::ArtifactType> StandardArtifactType(
    absl::string_view name);
// The names of these types, sorted.
std::vector<std::string> StandardArtifactTypeNames();

// What TFX adds to the place of an output for the place of its content:
// "/value" for the types that are a single value in a file, and else nothing.
absl::string_view ContentSuffix(const ml_metadata::ArtifactType& type);

// Execution types, named by TFX's component classes.
ml_metadata::ExecutionType CsvExampleGenType();
ml_metadata::ExecutionType ImportExampleGenType();
ml_metadata::ExecutionType StatisticsGenType();
ml_metadata::ExecutionType SchemaGenType();
ml_metadata::ExecutionType TrainerType();
ml_metadata::ExecutionType ImporterType();
ml_metadata::ExecutionType EvaluatorType();
ml_metadata::ExecutionType PusherType();
ml_metadata::ExecutionType ResolverType();

// Where a split's files are, below an Examples artifact. TFX named these
// folders otherwise before its version 0.29, and so is an artifact read that
// names an older version, or none.
std::string SplitDir(const ml_metadata::Artifact& examples,
                     const std::string& split);

// Where a Model artifact keeps the SavedModel that is served; an estimator of
// old put it two folders deeper, `export/NAME/VERSION`.
//
//   FAILED_PRECONDITION  `export` holds more than one of them, or none
absl::StatusOr<std::string> ServingModelDir(const ml_metadata::Artifact& model);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_TFX_NAMES_H_

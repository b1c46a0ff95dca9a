#ifndef REKINDLE_COMPONENT_LAUNCH_TFX_NAMES_H_
#define REKINDLE_COMPONENT_LAUNCH_TFX_NAMES_H_

#include <string>

#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Names that TFX's tools look for in the store. They must not change.

// The version we write like. An artifact without one is taken for a very old
// one, and its files are looked for elsewhere.
inline constexpr char kTfxVersion[] = "1.21.0";

// Artifact types, with the properties and base types TFX declares: its readers
// compare them field by field.
ml_metadata::ArtifactType ExamplesType();
ml_metadata::ArtifactType SchemaType();
ml_metadata::ArtifactType ModelType();
ml_metadata::ArtifactType ModelRunType();

// Execution types, named by TFX's component classes.
ml_metadata::ExecutionType CsvExampleGenType();
ml_metadata::ExecutionType SchemaGenType();
ml_metadata::ExecutionType TrainerType();

// Where a split's files are, below an Examples artifact.
std::string SplitDir(const ml_metadata::Artifact& examples,
                     const std::string& split);

// Where a Model artifact keeps the SavedModel that is served.
std::string ServingModelDir(const ml_metadata::Artifact& model);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_TFX_NAMES_H_

#ifndef REKINDLE_COMPONENT_STEPS_SCHEMA_GEN_H_
#define REKINDLE_COMPONENT_STEPS_SCHEMA_GEN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"

namespace rekindle {

struct SchemaGenOptions {
  // Where the schema is inferred from: examples, or statistics of them that a
  // StatisticsGen wrote, which gives the same schema. Statistics are used if
  // they are given.
  ArtifactRef examples;
  std::optional<ArtifactRef> statistics;
  bool infer_feature_shape = true;
  std::vector<std::string> exclude_splits;
};

// Infers `schema.pbtxt`, by InferSchema, and publishes it as a Schema artifact.
// Fills in the execution type, inputs, outputs and parameters of `spec`.
std::unique_ptr<Executor> MakeSchemaGen(const SchemaGenOptions& options,
                                        StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_SCHEMA_GEN_H_

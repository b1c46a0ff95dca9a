#ifndef REKINDLE_COMPONENT_STEPS_SCHEMA_GEN_H_
#define REKINDLE_COMPONENT_STEPS_SCHEMA_GEN_H_

#include <memory>

#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"

namespace rekindle {

struct SchemaGenOptions {
  ArtifactRef examples;
};

// Infers a Schema from all splits of an Examples artifact and writes it as
// schema.pbtxt, the one file of the Schema artifact. Fills in the execution
// type, inputs, outputs and parameters of `spec`.
std::unique_ptr<Executor> MakeSchemaGen(const SchemaGenOptions& options,
                                        StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_SCHEMA_GEN_H_

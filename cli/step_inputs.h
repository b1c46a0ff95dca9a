#ifndef REKINDLE_CLI_STEP_INPUTS_H_
#define REKINDLE_CLI_STEP_INPUTS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "component/launch/step.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Flags that say what a step reads and writes, as people type them. An error
// is INVALID_ARGUMENT and names the flag.

// "--input data=Examples:latest": key, type and reference.
absl::StatusOr<InputSpec> ParseInputFlag(const std::string& text);

// Adds inputs that a user gives a step beside its own, each as above.
absl::Status AddExtraInputs(const std::vector<std::string>& texts,
                            StepSpec& spec);

// "--output report=Metrics": key and type, one of TFX's or one of the user's.
absl::StatusOr<OutputSpec> ParseOutputFlag(const std::string& text);

// "--FLAG name=value", any number of them, by name.
absl::StatusOr<std::map<std::string, std::string>> ParseNamedValues(
    absl::string_view flag, const std::vector<std::string>& texts);

// The artifact type of that name: TFX's, with its properties, or one of the
// user's, without any. A name that differs from one of TFX's by case alone is a
// mistake.
absl::StatusOr<ml_metadata::ArtifactType> ArtifactTypeNamed(
    absl::string_view flag, const std::string& name);

}  // namespace rekindle

#endif  // REKINDLE_CLI_STEP_INPUTS_H_

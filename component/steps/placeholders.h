#ifndef REKINDLE_COMPONENT_STEPS_PLACEHOLDERS_H_
#define REKINDLE_COMPONENT_STEPS_PLACEHOLDERS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Placeholders in a command, and what they stand for:
//
//   {{inputs.KEY.uri}}              where the first artifact of that input is
//   {{inputs.KEY.uris}}             of all of them, with commas between
//   {{inputs.KEY.uris.0}}           of one, counted from 0
//   {{inputs.KEY.id}}               the first one's id in the store
//   {{inputs.KEY.properties.NAME}}  its property, declared or custom
//   {{outputs.KEY.uri}}             where to write that output
//   {{parameters.NAME}}
//   {{pipeline}} {{run_id}} {{node_id}} {{execution_id}} {{state_dir}}
//
// `%{...}` is the same as `{{...}}`, for places where another program has a
// meaning for the latter, as Argo has in a workflow's manifest.

// What is known before a step runs.
struct PlaceholderNames {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> parameters;
};

// What is known when it runs.
struct PlaceholderValues {
  std::map<std::string, std::vector<ml_metadata::Artifact>> inputs;
  std::map<std::string, std::string> outputs;     // where each is written
  std::map<std::string, std::string> parameters;  // as they were given
  std::map<std::string, std::string> step;        // "run_id", "state_dir", ...
};

// Whether every placeholder in `text` can be filled in, as far as is known
// before the step runs.
//
//   INVALID_ARGUMENT  one has no end, or names nothing that there is; the
//                     nearest name is offered
absl::Status CheckPlaceholders(const std::string& text,
                               const PlaceholderNames& names);

// Whether a placeholder of one of the texts has this name.
bool UsesPlaceholder(const std::vector<std::string>& texts,
                     absl::string_view name);

// `text` with its placeholders filled in. It must have passed
// CheckPlaceholders.
//
//   FAILED_PRECONDITION  an input has no artifact with that index, or no such
//                        property
absl::StatusOr<std::string> FillPlaceholders(const std::string& text,
                                             const PlaceholderValues& values);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_PLACEHOLDERS_H_

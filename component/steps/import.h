#ifndef REKINDLE_COMPONENT_STEPS_IMPORT_H_
#define REKINDLE_COMPONENT_STEPS_IMPORT_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "component/launch/step.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

struct ImportOptions {
  ml_metadata::ArtifactType type;
  std::string uri;   // a file or folder, which stays where it is
  std::string name;  // of the artifact; may be empty
  // By name, as they were given: what the type declares, and anything else.
  std::map<std::string, std::string> properties;
  std::map<std::string, std::string> custom_properties;
  // A new artifact, even if this content was imported before.
  bool reimport = false;
};

// TFX's Importer: makes files that are there already an artifact, `result`. The
// same content at the same place with the same properties is the same artifact
// again, and the execution CACHED. Examples get their `split_names` from their
// folders when they are not given. Fills in the execution type, outputs and
// parameters of `spec`.
//
//   INVALID_ARGUMENT  the type declares no such property, or the uri names no
//                     local path
//   NOT_FOUND         there is nothing at the uri
absl::StatusOr<std::unique_ptr<Executor>> MakeImport(ImportOptions options,
                                                     StepSpec& spec);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_IMPORT_H_

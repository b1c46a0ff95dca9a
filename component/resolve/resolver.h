#ifndef REKINDLE_COMPONENT_RESOLVE_RESOLVER_H_
#define REKINDLE_COMPONENT_RESOLVE_RESOLVER_H_

#include <string>

#include "absl/status/statusor.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/candidate.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {

// What a step wants under one of its input keys.
struct ResolveQuery {
  std::string type_name;  // "Model"
  ArtifactRef ref;
  std::string pipeline;
  std::string run_id;
  // Models whose training was cut short may be chosen, too. By name they can be
  // had in any case.
  bool allow_partial = false;
  FileRules files;
};

// Chooses the artifacts that `query` names from what earlier steps recorded. An
// artifact must be of the wanted type, LIVE, lie where artifacts are taken
// from, and hold the files that were published. Stateless: the same store and
// files give the same answer.
//
// A reference that names its artifacts is refused when one of them is not there
// or cannot be used (Resolution::refusal). The others choose among what the
// executions of the pipeline put out, as TFX's channels do, and pass over what
// cannot be used; nothing left is an answer. docs/resolving.md has the rules.
//
// An error is one of the store: nothing was found out.
absl::StatusOr<Resolution> Resolve(const ResolveQuery& query,
                                   const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_RESOLVER_H_

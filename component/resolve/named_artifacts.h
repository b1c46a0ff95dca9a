#ifndef REKINDLE_COMPONENT_RESOLVE_NAMED_ARTIFACTS_H_
#define REKINDLE_COMPONENT_RESOLVE_NAMED_ARTIFACTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/candidate.h"
#include "component/resolve/resolver.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {

// Resolves the forms of a reference that name their artifacts. What is not
// there or cannot be used is a refusal in the answer; an error is the store's.

// All of them, in the order given.
absl::StatusOr<Resolution> ResolveIds(const ArtifactRef::Ids& ref,
                                      const ResolveQuery& query,
                                      const MetadataStore& store);

// Of several that are recorded at that place, the highest id that can be used.
absl::StatusOr<Resolution> ResolveUri(const ArtifactRef::Uri& ref,
                                      const ResolveQuery& query,
                                      const MetadataStore& store);

// All that the node of this run put out under the key, in the order of their
// index. The node's executions are those in the contexts of both the run and
// the node, whoever wrote them.
absl::StatusOr<Resolution> ResolveRunOutput(const ArtifactRef::RunOutput& ref,
                                            const ResolveQuery& query,
                                            const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_NAMED_ARTIFACTS_H_

#ifndef REKINDLE_COMPONENT_RESOLVE_RESOLVER_H_
#define REKINDLE_COMPONENT_RESOLVE_RESOLVER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/resolve/artifact_ref.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// What a step wants under one of its input keys.
struct ResolveQuery {
  std::string type_name;  // "Model"
  ArtifactRef ref;
  std::string pipeline;
  std::string run_id;
};

// An artifact that was looked at, and why it was or was not taken.
struct Candidate {
  ml_metadata::Artifact artifact;
  bool taken = false;
  std::string reason;
};

struct Resolution {
  // In the order of their index under the key. Nothing chosen is an answer: a
  // first run has no model to start from.
  std::vector<ml_metadata::Artifact> chosen;
  std::vector<Candidate> candidates;  // in the order they were looked at
};

// Whether the artifact may be taken for one of the type, and why.
Candidate JudgeArtifact(ml_metadata::Artifact artifact,
                        const std::string& type_name);

// Chooses the artifact that `query` names from what earlier steps recorded. An
// artifact must be of the wanted type, LIVE, and hold the files that were
// published. Stateless: the same store and files give the same answer.
//
// `latest` takes the highest id among the pipeline's artifacts, as TFX's
// LatestArtifactStrategy does, and passes over unusable ones; the other forms
// name one artifact, and it is an error when that one cannot be used.
//
//   NOT_FOUND            the artifact that `ref` names is not recorded
//   FAILED_PRECONDITION  it is recorded, but cannot be used
absl::StatusOr<Resolution> Resolve(const ResolveQuery& query,
                                   const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_RESOLVER_H_

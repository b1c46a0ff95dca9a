#ifndef REKINDLE_COMPONENT_RESOLVE_ARTIFACT_REF_H_
#define REKINDLE_COMPONENT_RESOLVE_ARTIFACT_REF_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// How a user names an input artifact:
//
//   none              no artifact at all
//   latest            the newest usable one of this pipeline
//   id:7              the one with that id
//   uri:/data/x       the one recorded at that place
//   run:Trainer.model what that node of this run put out under that key
struct ArtifactRef {
  enum class Kind { kNone, kLatest, kId, kUri, kRun };

  Kind kind = Kind::kNone;
  int64_t id = 0;          // kId
  std::string uri;         // kUri
  std::string node_id;     // kRun
  std::string output_key;  // kRun

  // The text that ParseArtifactRef reads.
  std::string ToString() const;
};

// Parse(ToString(ref)) == ref.
//
//   INVALID_ARGUMENT  it is none of the forms above
absl::StatusOr<ArtifactRef> ParseArtifactRef(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_ARTIFACT_REF_H_

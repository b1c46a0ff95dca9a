#ifndef REKINDLE_COMPONENT_RESOLVE_ARTIFACT_ROOTS_H_
#define REKINDLE_COMPONENT_RESOLVE_ARTIFACT_ROOTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/path_fence.h"

namespace rekindle {

// Where artifacts are taken from. A record may name any place, whoever wrote
// it; files are opened only where the user said that artifacts are: below the
// pipeline root, below what --artifact-root adds, at a place that was imported,
// and at one that is named on the command line. A value type.
class ArtifactRoots {
 public:
  // Nowhere: every artifact is refused.
  ArtifactRoots() = default;
  // What was imported is noted in the pipeline root (NoteImport).
  ArtifactRoots(const std::string& pipeline_root,
                const std::vector<std::string>& others);

  // Everywhere: for commands that describe an artifact and do not use it.
  static ArtifactRoots Anywhere();

  // These, and the one place that the user has named.
  ArtifactRoots And(const std::string& place) const;

  // The fence that the files of an artifact at `uri` must not lead out of.
  //
  //   FAILED_PRECONDITION  nothing at `uri` may be taken; the message is why,
  //                        in a clause
  absl::StatusOr<PathFence> FenceFor(const std::string& uri) const;

 private:
  bool IsImported(const std::string& uri) const;
  std::string Describe() const;

  std::string pipeline_root_;  // empty: there is none
  std::vector<std::string> places_;
};

// Notes that the user imported what is at `uri`: artifacts of this pipeline
// root may lie there. The note is a file below the pipeline root, which a
// writer of the metadata store cannot make.
absl::Status NoteImport(const std::string& pipeline_root,
                        const std::string& uri);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_ARTIFACT_ROOTS_H_

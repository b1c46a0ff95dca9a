#ifndef REKINDLE_COMPONENT_RESOLVE_CANDIDATE_H_
#define REKINDLE_COMPONENT_RESOLVE_CANDIDATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "component/resolve/digest_check.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// An artifact that was looked at, and why it was or was not taken.
struct Candidate {
  ml_metadata::Artifact artifact;
  bool taken = false;
  std::string reason;  // one clause: "digest matches", "its state is DELETED"
};

// What a reference came to.
struct Resolution {
  // How many candidates that were not taken are kept.
  static constexpr int64_t kMaxPassedOver = 50;

  // In the order of their index under the key. Nothing chosen is an answer: a
  // first run has no model to start from.
  std::vector<ml_metadata::Artifact> chosen;
  // In the order they were looked at, up to kMaxPassedOver that were not taken;
  // `more_passed_over` counts the rest.
  std::vector<Candidate> candidates;
  int64_t more_passed_over = 0;
  // OK, or why what the reference names cannot be had:
  //
  //   NOT_FOUND            it is not recorded
  //   FAILED_PRECONDITION  it is recorded, but cannot be used
  absl::Status refusal;

  void Take(ml_metadata::Artifact artifact, std::string reason);
  void PassOver(ml_metadata::Artifact artifact, std::string reason);
};

// Why an artifact cannot be taken for one of the type, by its record alone;
// empty if it can.
std::string WhyNotOfType(const ml_metadata::Artifact& artifact,
                         const std::string& type_name);

// The trainer was stopped before its last step, and published what it had.
bool IsPartial(const ml_metadata::Artifact& artifact);

// Whether it is the record of a push that did not happen.
bool WasNotPushed(const ml_metadata::Artifact& artifact);

// Whether the artifact may be taken for one of the type, by its record and its
// files, and why.
Candidate JudgeArtifact(ml_metadata::Artifact artifact,
                        const std::string& type_name, const FileRules& rules);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_CANDIDATE_H_

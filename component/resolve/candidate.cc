#include "component/resolve/candidate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

using ml_metadata::Artifact;

void Resolution::Take(Artifact artifact, std::string reason) {
  chosen.push_back(artifact);
  candidates.push_back(
      {std::move(artifact), /*taken=*/true, std::move(reason)});
}

void Resolution::PassOver(Artifact artifact, std::string reason) {
  const auto kept = static_cast<int64_t>(candidates.size() - chosen.size());
  if (kept >= kMaxPassedOver) {
    ++more_passed_over;
    return;
  }
  candidates.push_back(
      {std::move(artifact), /*taken=*/false, std::move(reason)});
}

std::string WhyNotOfType(const Artifact& artifact,
                         const std::string& type_name) {
  if (artifact.type() != type_name) {
    return absl::StrCat("its type is ", artifact.type(), ", not ", type_name);
  }
  if (artifact.state() != Artifact::LIVE) {
    return absl::StrCat("its state is ", Artifact::State_Name(artifact.state()),
                        ", not LIVE");
  }
  return "";
}

bool IsPartial(const Artifact& artifact) {
  return CustomInt(artifact, "train_complete") == 0;
}

bool WasNotPushed(const Artifact& artifact) {
  return artifact.type() == "PushedModel" && CustomInt(artifact, "pushed") == 0;
}

Candidate JudgeArtifact(Artifact artifact, const std::string& type_name,
                        const FileRules& rules) {
  Candidate candidate;
  candidate.reason = WhyNotOfType(artifact, type_name);
  if (candidate.reason.empty()) {
    FilesVerdict files = CheckFiles(artifact, rules);
    candidate.taken = files.usable;
    candidate.reason = std::move(files.reason);
  }
  candidate.artifact = std::move(artifact);
  return candidate;
}

}  // namespace rekindle

#include "component/resolve/digest_check.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/path_fence.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

void RecordDigest(const TreeDigest& digest, ml_metadata::Artifact& artifact) {
  auto& properties = *artifact.mutable_custom_properties();
  properties[kDigestProperty] = StringValue(digest.digest);
  properties[kStatFingerprintProperty] = StringValue(digest.stat_fingerprint);
}

FilesVerdict CheckFiles(const ml_metadata::Artifact& artifact,
                        const FileRules& rules) {
  const absl::StatusOr<PathFence> fence = rules.roots.FenceFor(artifact.uri());
  if (!fence.ok()) return {false, std::string(fence.status().message())};
  const absl::StatusOr<std::string> stat =
      StatFingerprint(artifact.uri(), *fence);
  if (!stat.ok()) return {false, std::string(stat.status().message())};

  const std::string recorded = CustomString(artifact, kDigestProperty);
  if (recorded.empty()) return {true, "exists; no digest was recorded"};
  if (rules.check == FileCheck::kTouched &&
      *stat == CustomString(artifact, kStatFingerprintProperty)) {
    return {true, "files unchanged since they were published"};
  }
  const absl::StatusOr<TreeDigest> now = DigestTree(artifact.uri(), *fence);
  if (!now.ok()) return {false, std::string(now.status().message())};
  if (now->digest == recorded) return {true, "digest matches"};
  return {false, absl::StrCat("its files changed: digest is ", now->digest,
                              ", recorded was ", recorded)};
}

}  // namespace rekindle

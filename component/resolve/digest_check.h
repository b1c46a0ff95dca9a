#ifndef REKINDLE_COMPONENT_RESOLVE_DIGEST_CHECK_H_
#define REKINDLE_COMPONENT_RESOLVE_DIGEST_CHECK_H_

#include <string>

#include "base/digest.h"
#include "component/resolve/artifact_roots.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// Custom properties that record what an artifact's files held when it was
// published.
inline constexpr char kDigestProperty[] = "digest";
inline constexpr char kStatFingerprintProperty[] = "stat_fingerprint";

void RecordDigest(const TreeDigest& digest, ml_metadata::Artifact& artifact);

// What is known of an artifact's files.
struct FilesVerdict {
  bool usable = false;
  std::string reason;  // one clause: "digest matches", "no files at /data/x"
};

// How far to look: kTouched costs a stat per file while none was touched and
// reads them again when one was; kAll always reads them.
enum class FileCheck { kTouched, kAll };

// From where files are taken, and how far they are looked at. By default from
// nowhere.
struct FileRules {
  ArtifactRoots roots;
  FileCheck check = FileCheck::kTouched;
};

// Compares the files at `artifact.uri()` with what was recorded. An artifact
// without a digest, as other writers leave them, is usable when it exists.
// Nothing is opened, and no link followed, out of the roots.
FilesVerdict CheckFiles(const ml_metadata::Artifact& artifact,
                        const FileRules& rules);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_RESOLVE_DIGEST_CHECK_H_

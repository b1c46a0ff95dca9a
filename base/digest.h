#ifndef REKINDLE_BASE_DIGEST_H_
#define REKINDLE_BASE_DIGEST_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

class PathFence;

// SHA-256, fed piece by piece. Thread-compatible.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(absl::string_view bytes);
  // Like Update, with the length in front, so that no two lists of fields look
  // alike.
  void UpdateField(absl::string_view bytes);

  // The digest of everything so far in hexadecimal. Call it once, last.
  std::string HexDigest();

  // The digest of everything so far; what comes next begins another one.
  std::array<uint8_t, 32> TakeDigest();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// What a file or folder holds, in one string.
struct TreeDigest {
  // "sha256:<hex>" over the sorted relative paths and the contents' hashes:
  // equal exactly when names and contents are.
  std::string digest;
  // "sha256:<hex>" over relative paths, sizes, and times of the last
  // modification and change. While it stays the same, so does `digest`: the
  // first time can be set by whoever may write the file, the second only by
  // the kernel. It costs a stat per file.
  std::string stat_fingerprint;
  int64_t bytes = 0;
  int64_t files = 0;
};

// Reads everything below `path`, which may also be a single file. A symbolic
// link counts as what it points to.
//
//   FAILED_PRECONDITION  something there is neither a file nor a folder, or is
//                        a database that this process has open
//   NOT_FOUND            there is nothing at `path`
absl::StatusOr<TreeDigest> DigestTree(const std::string& path);

// The same, but follows no link out of the fence. `path` itself is not asked
// about.
//
//   FAILED_PRECONDITION  a link leads out of the fence, too
absl::StatusOr<TreeDigest> DigestTree(const std::string& path,
                                      const PathFence& fence);

// TreeDigest::stat_fingerprint alone, without reading any file. Errors are
// those of DigestTree.
absl::StatusOr<std::string> StatFingerprint(const std::string& path);
absl::StatusOr<std::string> StatFingerprint(const std::string& path,
                                            const PathFence& fence);

}  // namespace rekindle

#endif  // REKINDLE_BASE_DIGEST_H_

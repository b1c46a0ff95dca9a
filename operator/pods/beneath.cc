#include "operator/pods/beneath.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/path_fence.h"

namespace rekindle::argo {

bool IsBelow(const std::string& path, const std::string& folder) {
  if (folder == "/") return absl::StartsWith(path, "/");
  return path == folder || absl::StartsWith(path, absl::StrCat(folder, "/"));
}

absl::StatusOr<std::string> ResolveBeneath(const std::string& folder,
                                           const std::string& relative) {
  const std::string path = JoinPath(folder, relative);
  const std::string real = RealPath(folder);
  const std::string resolved = RealPath(path);
  if (real.empty() || resolved.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("where ", path, " leads cannot be found out"));
  }
  if (IsBelow(resolved, real)) return resolved;
  return absl::FailedPreconditionError(
      absl::StrCat(path, " leads out of ", folder, ", to ", resolved));
}

}  // namespace rekindle::argo

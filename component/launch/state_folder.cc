#include "component/launch/state_folder.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

// The newest attempt before `token` that left something; 0 for none.
int64_t LastAttemptBefore(int64_t token, const std::string& state_dir) {
  int64_t last = 0;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(state_dir, error)) {
    int64_t attempt = 0;
    if (absl::SimpleAtoi(entry.path().filename().string(), &attempt) &&
        attempt < token) {
      last = std::max(last, attempt);
    }
  }
  return last;
}

}  // namespace

absl::StatusOr<std::string> AdoptState(const std::string& state_dir,
                                       int64_t token) {
  RK_RETURN_IF_ERROR(MakeDirs(state_dir));
  std::string ours = JoinPath(state_dir, absl::StrCat(token));
  const int64_t last = LastAttemptBefore(token, state_dir);
  if (last == 0) {
    RK_RETURN_IF_ERROR(MakeDirs(ours));
  } else {
    RK_RETURN_IF_ERROR(
        RenameNoReplace(JoinPath(state_dir, absl::StrCat(last)), ours));
  }
  return ours;
}

}  // namespace rekindle

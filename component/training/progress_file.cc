#include "component/training/progress_file.h"

#include "absl/strings/str_cat.h"
#include "component/contract/whole_file.h"

namespace rekindle {

void ProgressFile::Tell(int64_t done, int64_t total, absl::Time now) {
  // A clock that was set back must not silence it.
  const absl::Duration since = now - told_;
  if (since >= absl::ZeroDuration() && since < absl::Seconds(1)) return;
  TellNow(done, total, now);
}

void ProgressFile::TellNow(int64_t done, int64_t total, absl::Time now) {
  told_ = now;
  if (path_.empty()) return;
  ReplaceFile(path_, absl::StrCat(done, "/", total)).IgnoreError();
}

}  // namespace rekindle

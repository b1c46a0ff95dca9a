#include "component/launch/retrying_step_store.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_util.h"
#include "component/launch/failure.h"

namespace rekindle {

absl::Status RetryingStepStore::Unreachable(const absl::Status& status) const {
  return WithReason(FailureReason::kStoreUnreachable,
                    WithNote(absl::UnavailableError(status.message()),
                             absl::StrCat("tried again for ",
                                          absl::FormatDuration(options_.total),
                                          ", as --store-timeout says")));
}

}  // namespace rekindle

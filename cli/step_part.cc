#include "cli/step_part.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/workers/worker_role.h"

namespace rekindle {

absl::StatusOr<std::optional<StepPart>> FindPart(const PartFlags& flags) {
  RK_ASSIGN_OR_RETURN(const WorkerRole role, ParseWorkerRole(flags.tf_config));
  if (role.alone) return std::nullopt;
  if (flags.starts_workers) {
    return absl::InvalidArgumentError(
        "--workers starts processes on this machine, but TF_CONFIG names "
        "workers already; use one of the two");
  }
  if (flags.run_id.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--run-id is missing: TF_CONFIG makes this process ", role.Name(),
        " of several, which find each other by the run that they name"));
  }
  if (role.is_chief) return std::nullopt;
  return StepPart{role, flags.chief_timeout};
}

}  // namespace rekindle

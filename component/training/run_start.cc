#include "component/training/run_start.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

std::string PathIn(const std::string& folder) {
  return absl::StrCat(folder, "/run_start.json");
}

}  // namespace

// The file is an executor output of which only two fields are used.
absl::Status WriteRunStart(const RunStart& start, const std::string& folder) {
  ExecutorOutput output;
  output.metrics = start.metrics;
  output.warm_start = start.warm_start;
  return WriteExecutorOutput(output, PathIn(folder));
}

absl::StatusOr<RunStart> ReadRunStart(const std::string& folder) {
  const absl::StatusOr<ExecutorOutput> output =
      ReadExecutorOutput(PathIn(folder));
  if (absl::IsNotFound(output.status())) return RunStart();
  RK_RETURN_IF_ERROR(output.status());
  return RunStart{.metrics = output->metrics, .warm_start = output->warm_start};
}

}  // namespace rekindle

#include "component/training/initialization.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/io/saved_model_reader.h"
#include "component/training/variable_match.h"
#include "component/training/warm_start.h"

namespace rekindle {
namespace {

absl::Status While(absl::string_view doing, const absl::Status& status) {
  if (status.ok()) return status;
  return {status.code(), absl::StrCat(status.message(), " (", doing, ")")};
}

// Takes over what fits of the model or checkpoint at `path`.
absl::StatusOr<RestoreReport> TakeOver(const std::string& path,
                                       const TaskConfig& config,
                                       const Model& model,
                                       NamedTensors* values) {
  RK_ASSIGN_OR_RETURN(
      const VariableNames renamed,
      ParseVariableNames(config.warm_start_map, model.variables()));
  RK_ASSIGN_OR_RETURN(const SavedVariables saved, ReadSavedVariables(path));
  const WarmStart plan =
      PlanWarmStart(model.variables(), model.axes(), saved, path, renamed);
  for (const auto& [name, value] : plan.restored) (*values)[name] = value;
  RestoreReport report;
  for (const WarmStartVariable& variable : plan.report.variables) {
    report.push_back({variable.name, variable.restored, variable.reason});
  }
  return report;
}

bool Restored(const RestoredVariable& variable) { return variable.restored; }

absl::Status FromCheckpoint(const TaskConfig& config, const Model& model,
                            NamedTensors* values, RestoreReport* report) {
  const std::string& path = config.init_checkpoint;
  RK_ASSIGN_OR_RETURN(*report, TakeOver(path, config, model, values));
  const auto missing = std::ranges::find_if_not(*report, Restored);
  if (missing == report->end()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "init_checkpoint '", path, "' is of another model: '", missing->name,
      "' is ", missing->reason, "; base_model takes over what fits"));
}

absl::Status FromBaseModel(const TaskConfig& config, const Model& model,
                           NamedTensors* values, RestoreReport* report) {
  RK_ASSIGN_OR_RETURN(*report,
                      TakeOver(config.base_model, config, model, values));
  if (config.allow_no_match || std::ranges::any_of(*report, Restored)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "no variable of base model '", config.base_model,
      "' fits this model; train without it, or set allow_no_match"));
}

}  // namespace

absl::Status InitializeFrom(const TaskConfig& config, const Model& model,
                            NamedTensors* values, RestoreReport* report) {
  const bool from_checkpoint = !config.init_checkpoint.empty();
  const bool from_base = !config.base_model.empty();
  if (from_checkpoint && from_base) {
    return absl::InvalidArgumentError(absl::StrCat(
        "init_checkpoint is '", config.init_checkpoint, "' and base_model is '",
        config.base_model, "': a model can start from one of them only"));
  }
  if (from_checkpoint) {
    return While("reading init_checkpoint",
                 FromCheckpoint(config, model, values, report));
  }
  if (!from_base) return absl::OkStatus();
  return While("reading the base model",
               FromBaseModel(config, model, values, report));
}

}  // namespace rekindle

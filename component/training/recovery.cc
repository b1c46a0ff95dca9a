#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "component/io/tensor_bundle.h"
#include "component/training/trainer_state.h"
#include "rekindle/training/action.h"
#include "rekindle/training/checkpoint_manager.h"
#include "rekindle/training/trainer.h"

namespace rekindle {
namespace {

// NaN without a sign.
double Shown(double loss) {
  return std::isnan(loss) ? std::numeric_limits<double>::quiet_NaN() : loss;
}

absl::Status BadLoss(double loss, int64_t step, const char* why) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "the loss is %f at step %d%s: lower learning_rate, or look for extreme "
      "values in the examples",
      Shown(loss), step, why));
}

absl::Status GoBack(const std::string& checkpoint, Trainer& trainer) {
  RK_ASSIGN_OR_RETURN(NamedTensors saved, ReadTensors(checkpoint));
  RK_ASSIGN_OR_RETURN(const NamedTensors now, trainer.State());
  RK_ASSIGN_OR_RETURN(TrainerState state, ReadTrainerState(saved, {}));
  RK_ASSIGN_OR_RETURN(const TrainerState reached, ReadTrainerState(now, {}));
  state.input = reached.input;
  AddTrainerState(state, &saved);
  return trainer.Restore(saved);
}

}  // namespace

Action MakeRecovery(const RecoveryOptions& options, Trainer* trainer,
                    const CheckpointManager* checkpoints) {
  return [options, trainer, checkpoints,
          trials = int64_t{0}](const Logs& logs) mutable -> absl::Status {
    const auto loss = logs.find("training_loss");
    const int64_t step = trainer->global_step();
    if (loss == logs.end() || step < options.begin_steps ||
        loss->second <= options.loss_upper_bound) {  // NaN is not.
      return absl::OkStatus();
    }
    if (trials >= options.max_trials) {
      return BadLoss(loss->second, step,
                     trials == 0 ? "" : " after all recovery_max_trials");
    }
    ++trials;
    RK_ASSIGN_OR_RETURN(const std::optional<std::string> latest,
                        checkpoints->Latest());
    if (!latest.has_value()) {
      return BadLoss(loss->second, step,
                     ", and there is no checkpoint to go back to");
    }
    RK_RETURN_IF_ERROR(GoBack(*latest, *trainer));
    if (options.log) {
      options.log(absl::StrFormat(
          "the loss was %f at step %d: back to step %d (trial %d of %d)",
          Shown(loss->second), step, trainer->global_step(), trials,
          options.max_trials));
    }
    return absl::OkStatus();
  };
}

}  // namespace rekindle

#include "rekindle/training/controller.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "component/io/tensor_bundle.h"

namespace rekindle {
namespace {

// How often a folder is looked at for a new checkpoint.
constexpr absl::Duration kPoll = absl::Milliseconds(200);

std::string Format(absl::string_view what, int64_t step, const Logs& logs) {
  std::string line = absl::StrFormat("%-5s | step: %6d", what, step);
  for (const auto& [name, value] : logs) {
    absl::StrAppendFormat(&line, " | %s: %.5g", name, value);
  }
  return line;
}

absl::Status RunActions(const std::vector<Action>& actions, const Logs& logs) {
  for (const Action& action : actions) RK_RETURN_IF_ERROR(action(logs));
  return absl::OkStatus();
}

absl::Status Check(const ControllerOptions& options) {
  if (options.trainer == nullptr) {
    return absl::InvalidArgumentError("a controller needs a trainer");
  }
  if (options.steps_per_loop < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "steps_per_loop is ", options.steps_per_loop, ", expected at least 1"));
  }
  const bool summaries = options.train_summaries != nullptr;
  if (summaries && (options.summary_interval < 1 ||
                    options.summary_interval % options.steps_per_loop != 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("summary_interval is ", options.summary_interval,
                     ", expected a multiple of steps_per_loop, which is ",
                     options.steps_per_loop));
  }
  return absl::OkStatus();
}

}  // namespace

Controller::Controller(ControllerOptions options)
    : options_(std::move(options)) {}

absl::StatusOr<std::unique_ptr<Controller>> Controller::Make(
    ControllerOptions options) {
  RK_RETURN_IF_ERROR(Check(options));
  std::unique_ptr<Controller> controller(new Controller(std::move(options)));
  RK_RETURN_IF_ERROR(controller->RestoreOrInitialize());
  return controller;
}

absl::Status Controller::RestoreOrInitialize() {
  if (options_.checkpoints != nullptr) {
    RK_ASSIGN_OR_RETURN(const std::optional<std::string> latest,
                        options_.checkpoints->Latest());
    if (latest.has_value()) return RestoreCheckpoint(*latest);
  }
  return options_.trainer->Initialize();
}

absl::StatusOr<Logs> Controller::Train(int64_t steps, bool checkpoint_at_end) {
  Logs logs;
  while (options_.trainer->global_step() < steps && Next() == NextStep::kGoOn) {
    const int64_t left = steps - options_.trainer->global_step();
    RK_ASSIGN_OR_RETURN(logs,
                        TrainLoop(std::min(left, options_.steps_per_loop)));
    RK_RETURN_IF_ERROR(MaybeSave());
  }
  if (checkpoint_at_end) RK_RETURN_IF_ERROR(SaveAtEnd());
  return logs;
}

absl::StatusOr<Logs> Controller::TrainLoop(int64_t steps) {
  const int64_t before = options_.trainer->global_step();
  const absl::Time start = absl::Now();
  RK_ASSIGN_OR_RETURN(Logs logs, options_.trainer->Train(steps));
  const int64_t made = options_.trainer->global_step() - before;
  if (made == 0) return logs;
  if (made != steps && Next() == NextStep::kGoOn) {
    return absl::InternalError(
        absl::StrCat("the trainer made ", made, " steps instead of ", steps));
  }
  logs["steps_per_second"] =
      static_cast<double>(made) / absl::ToDoubleSeconds(absl::Now() - start);
  Log(Format("train", before + made, logs));
  RK_RETURN_IF_ERROR(WriteSummaries(logs));
  RK_RETURN_IF_ERROR(RunActions(options_.train_actions, logs));
  return logs;
}

absl::Status Controller::WriteSummaries(const Logs& logs) {
  const int64_t step = options_.trainer->global_step();
  if (options_.train_summaries == nullptr ||
      step - summarized_step_ < options_.summary_interval) {
    return absl::OkStatus();
  }
  summarized_step_ = step;
  return options_.train_summaries->Scalars(step, logs);
}

absl::StatusOr<Logs> Controller::Evaluate(int64_t steps) {
  if (steps < 1 && steps != -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot evaluate ", steps,
                     " batches, expected at least 1, or -1 for all"));
  }
  if (!options_.is_chief) return Logs();
  const int64_t step = options_.trainer->global_step();
  RK_ASSIGN_OR_RETURN(Logs logs, options_.trainer->Evaluate(steps));
  Log(Format("eval", step, logs));
  if (options_.eval_summaries != nullptr) {
    RK_RETURN_IF_ERROR(options_.eval_summaries->Scalars(step, logs));
    RK_RETURN_IF_ERROR(options_.eval_summaries->Flush());
  }
  RK_RETURN_IF_ERROR(RunActions(options_.eval_actions, logs));
  return logs;
}

absl::StatusOr<Logs> Controller::TrainAndEvaluate(int64_t train_steps,
                                                  int64_t eval_steps,
                                                  int64_t eval_interval) {
  Logs logs;
  do {
    const int64_t now = options_.trainer->global_step();
    const int64_t until =
        eval_interval < 1
            ? train_steps
            : std::min(train_steps, (now / eval_interval + 1) * eval_interval);
    RK_RETURN_IF_ERROR(Train(until, /*checkpoint_at_end=*/false).status());
    if (Next() == NextStep::kStop) break;
    RK_ASSIGN_OR_RETURN(logs, Evaluate(eval_steps));
  } while (options_.trainer->global_step() < train_steps &&
           Next() == NextStep::kGoOn);
  RK_RETURN_IF_ERROR(SaveAtEnd());
  return logs;
}

absl::StatusOr<Logs> Controller::EvaluateContinuously(
    int64_t eval_steps, absl::Duration timeout,
    const std::function<bool()>& done) {
  Logs logs;
  std::string seen;
  absl::Time last = absl::Now();
  while (absl::Now() - last < timeout && Next() == NextStep::kGoOn) {
    RK_ASSIGN_OR_RETURN(const std::optional<std::string> latest,
                        options_.checkpoints->Latest());
    if (!latest.has_value() || *latest == seen) {
      absl::SleepFor(kPoll);
      continue;
    }
    seen = *latest;
    const absl::Status restored = RestoreCheckpoint(seen);
    if (absl::IsNotFound(restored)) continue;  // Removed by its writer.
    RK_RETURN_IF_ERROR(restored);
    RK_ASSIGN_OR_RETURN(logs, Evaluate(eval_steps));
    if (done()) break;
    last = absl::Now();
  }
  return logs;
}

absl::Status Controller::MaybeSave() {
  if (options_.checkpoints == nullptr) return absl::OkStatus();
  const int64_t since =
      options_.trainer->global_step() - std::max<int64_t>(saved_step_, 0);
  return since < options_.checkpoint_interval ? absl::OkStatus()
                                              : SaveCheckpoint();
}

absl::Status Controller::SaveAtEnd() {
  const bool is_lost =
      Next() == NextStep::kStop && !options_.saves_when_stopped;
  return is_lost ? absl::OkStatus() : SaveCheckpoint();
}

absl::Status Controller::SaveCheckpoint() {
  const int64_t step = options_.trainer->global_step();
  if (options_.checkpoints == nullptr || !options_.is_chief ||
      saved_step_ == step) {
    return absl::OkStatus();
  }
  RK_ASSIGN_OR_RETURN(const NamedTensors state, options_.trainer->State());
  RK_RETURN_IF_ERROR(options_.checkpoints->Save(step, state));
  saved_step_ = step;
  return WriteHistograms(step, state);
}

absl::Status Controller::WriteHistograms(int64_t step,
                                         const NamedTensors& state) const {
  if (options_.train_summaries == nullptr) return absl::OkStatus();
  for (const VariableSpec& variable : options_.trainer->model().variables()) {
    RK_RETURN_IF_ERROR(options_.train_summaries->Histogram(
        step, variable.name, state.at(variable.name)));
  }
  return options_.train_summaries->Flush();
}

absl::Status Controller::RestoreCheckpoint(const std::string& path) {
  std::string from = path;
  if (from.empty()) {
    RK_ASSIGN_OR_RETURN(const std::optional<std::string> latest,
                        options_.checkpoints->Latest());
    if (!latest.has_value()) {
      return absl::NotFoundError("there is no checkpoint to restore");
    }
    from = *latest;
  }
  RK_ASSIGN_OR_RETURN(const NamedTensors state, ReadTensors(from));
  if (const absl::Status restored = options_.trainer->Restore(state);
      !restored.ok()) {
    return {restored.code(),
            absl::StrCat(restored.message(), " (restoring '", from,
                         "'; remove the folder to start afresh)")};
  }
  restored_ = true;
  saved_step_ = options_.trainer->global_step();
  summarized_step_ = saved_step_;
  Log(absl::StrFormat("restored step %d from '%s'", saved_step_, from));
  return absl::OkStatus();
}

NextStep Controller::Next() const {
  return options_.next_step ? options_.next_step() : NextStep::kGoOn;
}

void Controller::Log(const std::string& line) const {
  if (options_.log) options_.log(line);
}

}  // namespace rekindle

// The outer loop over a trainer that only counts: what is asked of it, in which
// order, and what a folder of checkpoints makes of it.
#include "rekindle/training/controller.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "component/training/trainer_state.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/action.h"
#include "rekindle/training/checkpoint_manager.h"
#include "rekindle/training/trainer.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

class NoVariables final : public Model {
 public:
  const std::vector<VariableSpec>& variables() const override { return none_; }
  NamedTensors InitialValues(uint64_t /*seed*/) const override { return {}; }
  NamedOutputs Call(GraphBuilder& /*graph*/, const NamedOutputs& /*inputs*/,
                    bool /*training*/) const override {
    return {};
  }

 private:
  const std::vector<VariableSpec> none_;
};

// Its step is all that it learns. It reads one batch a step, and the batches
// numbered `bad` make its loss NaN.
class CountingTrainer final : public Trainer {
 public:
  int64_t global_step() const override { return state_.global_step; }

  absl::StatusOr<Logs> Train(int64_t steps) override {
    calls.push_back(absl::StrCat("train ", steps));
    bool is_bad = false;
    for (int64_t i = 0; i < steps; ++i) {
      is_bad |= ++batches_ == bad_batch;
      ++state_.global_step;
    }
    state_.input.examples = batches_;
    return Logs{{"training_loss",
                 is_bad ? std::numeric_limits<double>::quiet_NaN() : 1.0}};
  }

  absl::StatusOr<Logs> Evaluate(int64_t steps) override {
    calls.push_back(absl::StrCat("evaluate ", steps, " at ", global_step()));
    return Logs{{"validation_loss", 1.0 / static_cast<double>(global_step())}};
  }

  absl::Status Initialize() override {
    calls.push_back("initialize");
    return absl::OkStatus();
  }
  const RestoreReport& restored() const override { return report_; }

  absl::StatusOr<NamedTensors> State() override {
    NamedTensors tensors;
    AddTrainerState(state_, &tensors);
    return tensors;
  }

  absl::Status Restore(const NamedTensors& tensors) override {
    const auto state = ReadTrainerState(tensors, {});
    if (!state.ok()) return state.status();
    state_ = *state;
    batches_ = state_.input.examples;
    calls.push_back(absl::StrCat("restore ", global_step()));
    return absl::OkStatus();
  }

  absl::StatusOr<NamedTensors> ExportValues() override { return State(); }
  absl::StatusOr<NamedTensors> FirstValidationStep() override {
    return NamedTensors();
  }
  const Model& model() const override { return model_; }

  std::vector<std::string> calls;
  int64_t bad_batch = 0;

 private:
  const NoVariables model_;
  RestoreReport report_;
  TrainerState state_;
  int64_t batches_ = 0;
};

class ControllerTest : public ::testing::Test {
 protected:
  ControllerTest() {
    options_.trainer = &trainer_;
    options_.steps_per_loop = 10;
    options_.checkpoints = &checkpoints_;
    options_.checkpoint_interval = 20;
  }

  std::unique_ptr<Controller> Make() {
    auto controller = Controller::Make(options_);
    EXPECT_TRUE(controller.ok()) << controller.status();
    return *std::move(controller);
  }

  // Leaves a checkpoint of this step.
  void SaveStep(int64_t step) {
    NamedTensors tensors;
    AddTrainerState({.global_step = step, .input = {}}, &tensors);
    ASSERT_TRUE(checkpoints_.Save(step, tensors).ok());
  }

  NextStep StopAt(int64_t step) const {
    return trainer_.global_step() >= step ? NextStep::kStop : NextStep::kGoOn;
  }

  std::vector<std::string> Saved() const {
    std::vector<std::string> names;
    for (int64_t step = 0; step <= 1000; ++step) {
      if (std::filesystem::exists(checkpoints_.PrefixOf(step) + ".index")) {
        names.push_back(absl::StrCat(step));
      }
    }
    return names;
  }

  const TempDir folder_;
  CheckpointManager checkpoints_{folder_ / "run", /*max_to_keep=*/100};
  CountingTrainer trainer_;
  ControllerOptions options_;
};

TEST_F(ControllerTest, InitializesOnlyWhereThereIsNoCheckpoint) {
  EXPECT_FALSE(Make()->restored());
  EXPECT_THAT(trainer_.calls, ElementsAre("initialize"));
  SaveStep(30);
  trainer_.calls.clear();
  EXPECT_TRUE(Make()->restored());
  EXPECT_THAT(trainer_.calls, ElementsAre("restore 30"));
}

TEST_F(ControllerTest, TheLastLoopIsAsLongAsWhatIsLeft) {
  const auto controller = Make();
  ASSERT_TRUE(controller->Train(25).ok());
  EXPECT_THAT(trainer_.calls,
              ElementsAre("initialize", "train 10", "train 10", "train 5"));
  EXPECT_THAT(Saved(), ElementsAre("20", "25"));
  ASSERT_TRUE(controller->Train(25).ok());  // Nothing to do.
  EXPECT_EQ(trainer_.calls.size(), 4);
}

TEST_F(ControllerTest, AnyRunIsLoopsThatAddUpToIt) {
  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < 20; ++round) {
    CountingTrainer trainer;
    options_.trainer = &trainer;
    options_.checkpoints = nullptr;
    options_.steps_per_loop = 1 + static_cast<int64_t>(random() % 30);
    const auto controller = Make();
    int64_t sum = 0;
    std::vector<int64_t> lengths;
    for (int64_t until = 0; until < 200; until += 1 + random() % 50) {
      ASSERT_TRUE(controller->Train(until).ok());
      sum = until;
    }
    for (const std::string& call : trainer.calls) {
      if (call.starts_with("train "))
        lengths.push_back(std::stoll(call.substr(6)));
    }
    EXPECT_EQ(trainer.global_step(), sum);
    EXPECT_THAT(lengths, Each(Le(options_.steps_per_loop)));
  }
}

TEST_F(ControllerTest, EvaluatesBetweenStretchesOfTrainingAndAtTheEnd) {
  const auto controller = Make();
  const auto logs = controller->TrainAndEvaluate(25, /*eval_steps=*/3,
                                                 /*eval_interval=*/20);
  ASSERT_TRUE(logs.ok()) << logs.status();
  EXPECT_DOUBLE_EQ(logs->at("validation_loss"), 1.0 / 25);
  EXPECT_THAT(trainer_.calls,
              ElementsAre("initialize", "train 10", "train 10",
                          "evaluate 3 at 20", "train 5", "evaluate 3 at 25"));
}

TEST_F(ControllerTest, ActionsSeeWhatWasMeasuredAndMayEndTheRun) {
  std::vector<double> seen;
  options_.train_actions.push_back([&](const Logs& logs) -> absl::Status {
    seen.push_back(logs.at("training_loss"));
    return seen.size() < 2 ? absl::OkStatus() : absl::AbortedError("enough");
  });
  EXPECT_EQ(Make()->Train(100).status(), absl::AbortedError("enough"));
  EXPECT_THAT(seen, ElementsAre(1.0, 1.0));
  EXPECT_EQ(trainer_.global_step(), 20);
}

TEST_F(ControllerTest, WhoIsToldToStopSavesWhereItIs) {
  options_.next_step = [this] { return StopAt(30); };
  ASSERT_TRUE(Make()->Train(100).ok());
  EXPECT_THAT(Saved(), ElementsAre("20", "30"));
}

TEST_F(ControllerTest, WhoIsNotToSaveWhenStoppedKeepsTheCheckpointBefore) {
  options_.next_step = [this] { return StopAt(30); };
  options_.saves_when_stopped = false;
  ASSERT_TRUE(Make()->TrainAndEvaluate(100).ok());
  EXPECT_THAT(Saved(), ElementsAre("20"));
}

TEST_F(ControllerTest, TrainingThatEndsEarlyIsEvaluatedAndSaved) {
  options_.next_step = [this] {
    return trainer_.global_step() >= 30 ? NextStep::kEnd : NextStep::kGoOn;
  };
  options_.saves_when_stopped = false;
  ASSERT_TRUE(Make()->TrainAndEvaluate(100).ok());
  EXPECT_THAT(Saved(), ElementsAre("20", "30"));
  EXPECT_EQ(trainer_.calls.back(), "evaluate -1 at 30");
}

TEST_F(ControllerTest, AResumedRunEvaluatesWhereAnUninterruptedOneWould) {
  SaveStep(25);
  ASSERT_TRUE(Make()->TrainAndEvaluate(60, -1, /*eval_interval=*/20).ok());
  EXPECT_THAT(trainer_.calls, ElementsAre("restore 25", "train 10", "train 5",
                                          "evaluate -1 at 40", "train 10",
                                          "train 10", "evaluate -1 at 60"));
}

TEST_F(ControllerTest, OthersThanTheChiefMakeTheSameLoopsAndNothingElse) {
  options_.is_chief = false;
  ASSERT_TRUE(Make()->TrainAndEvaluate(35, -1, /*eval_interval=*/15).ok());
  EXPECT_THAT(Saved(), IsEmpty());
  EXPECT_THAT(trainer_.calls, ElementsAre("initialize", "train 10", "train 5",
                                          "train 10", "train 5", "train 5"));
}

TEST_F(ControllerTest, EachNewCheckpointIsEvaluatedUntilTheLast) {
  const auto controller = Make();
  SaveStep(10);
  const auto logs =
      controller->EvaluateContinuously(-1, absl::InfiniteDuration(), [this] {
        if (trainer_.global_step() == 30) return true;
        SaveStep(trainer_.global_step() + 10);
        return false;
      });
  ASSERT_TRUE(logs.ok()) << logs.status();
  EXPECT_THAT(
      trainer_.calls,
      ElementsAre("initialize", "restore 10", "evaluate -1 at 10", "restore 20",
                  "evaluate -1 at 20", "restore 30", "evaluate -1 at 30"));
}

TEST_F(ControllerTest, WithoutANewCheckpointItStopsWaiting) {
  SaveStep(10);
  const auto logs = Make()->EvaluateContinuously(-1, absl::Milliseconds(1),
                                                 [] { return false; });
  ASSERT_TRUE(logs.ok()) << logs.status();
  EXPECT_DOUBLE_EQ(logs->at("validation_loss"), 0.1);
}

TEST_F(ControllerTest, OptionsThatContradictEachOtherAreRefused) {
  options_.steps_per_loop = 0;
  EXPECT_THAT(Controller::Make(options_).status().message(),
              HasSubstr("steps_per_loop is 0, expected at least 1"));
  options_.trainer = nullptr;
  EXPECT_EQ(Controller::Make(options_).status().code(),
            absl::StatusCode::kInvalidArgument);
  options_.trainer = &trainer_;
  options_.steps_per_loop = 10;
  EXPECT_THAT(Make()->Evaluate(0).status().message(),
              HasSubstr("cannot evaluate 0 batches"));
}

class RecoveryTest : public ControllerTest {
 protected:
  absl::Status Train(RecoveryOptions recovery) {
    options_.train_actions = {MakeRecovery(recovery, &trainer_, &checkpoints_)};
    const auto controller = Make();
    return controller->Train(50).status();
  }
};

TEST_F(RecoveryTest, GoesBackAndOnWithTheExamplesThatComeNext) {
  trainer_.bad_batch = 35;
  std::vector<std::string> lines;
  const auto log = [&](absl::string_view line) { lines.emplace_back(line); };
  ASSERT_TRUE(Train({.max_trials = 1, .log = log}).ok());
  EXPECT_THAT(lines, ElementsAre("the loss was nan at step 40: back to step 20 "
                                 "(trial 1 of 1)"));
  EXPECT_THAT(trainer_.calls, ElementsAre("initialize", "train 10", "train 10",
                                          "train 10", "train 10", "restore 20",
                                          "train 10", "train 10", "train 10"));
  EXPECT_EQ(trainer_.global_step(), 50);
}

TEST_F(RecoveryTest, WithoutTrialsABadLossEndsTheRun) {
  trainer_.bad_batch = 35;
  const absl::Status ended = Train({.max_trials = 0});
  EXPECT_EQ(ended.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(ended.message(), HasSubstr("the loss is nan at step 40"));
}

TEST_F(RecoveryTest, WithoutACheckpointThereIsNoWayBack) {
  trainer_.bad_batch = 5;
  EXPECT_THAT(Train({.max_trials = 3}).message(),
              HasSubstr("there is no checkpoint to go back to"));
}

TEST_F(RecoveryTest, NothingIsLookedAtBeforeItBegins) {
  trainer_.bad_batch = 5;
  EXPECT_TRUE(Train({.begin_steps = 20}).ok());
}

TEST_F(RecoveryTest, ALossAboveTheBoundIsBadToo) {
  EXPECT_THAT(Train({.loss_upper_bound = 0.5}).message(),
              HasSubstr("the loss is 1.000000 at step 10"));
}

}  // namespace
}  // namespace rekindle

#include "component/config/resolve_experiment.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "component/config/config_tree.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/experiment.h"
#include "rekindle/training/experiment_config.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct TestTaskConfig : TaskConfig {
  std::vector<int64_t> units = {8};
  std::string label;

  void Describe(ConfigFields& fields) override {
    TaskConfig::Describe(fields);
    fields.Add("units", &units).AtLeast(1);
    fields.Add("label", &label, "the feature to learn").NotEmpty();
  }
};

std::unique_ptr<ExperimentConfig> MakeTestConfig() {
  auto config = std::make_unique<ExperimentConfig>();
  config->task = std::make_unique<TestTaskConfig>();
  config->trainer.train_steps = 1;
  config->trainer.optimizer_config.optimizer.type = "adam";
  config->trainer.optimizer_config.learning_rate.type = "constant";
  return config;
}

const Experiment& TestExperiment() {
  static const auto& experiment =
      *new Experiment{.make = MakeTestConfig,
                      .short_names = {{"hidden_units", {"task.units"}},
                                      {"label_key", {"task.label"}}}};
  return experiment;
}

// As a module does while it is loaded.
const bool registered =
    RegisterExperiment("test/small", TestExperiment()) &&
    RegisterExperiment("test/large", TestExperiment()) &&
    RegisterExperiment(
        "test/broken",
        {[] { return std::make_unique<ExperimentConfig>(); }, {}});
const bool free_once = RegisterExperiment("test/twice", TestExperiment());
const bool free_again = RegisterExperiment("test/twice", TestExperiment());

TEST(ExperimentTest, IsFoundByItsName) {
  EXPECT_TRUE(registered);
  EXPECT_TRUE(FindExperiment("test/small").ok());
  EXPECT_THAT(ExperimentNames(), ElementsAre("test/broken", "test/large",
                                             "test/small", "test/twice"));
}

TEST(ExperimentTest, AnUnknownNameGetsTheNearestAndTheList) {
  const absl::Status status = FindExperiment("test/smal").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "there is no experiment 'test/smal'; did you mean 'test/small'? "
            "registered: test/broken, test/large, test/small, test/twice");
}

TEST(ExperimentTest, ANameThatIsRegisteredTwiceIsAnErrorWhenItIsUsed) {
  EXPECT_TRUE(free_once);
  EXPECT_FALSE(free_again);
  const absl::Status status = FindExperiment("test/twice").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(status.message(),
            "two experiments are registered as 'test/twice': rename one of "
            "them");
}

class ResolveTest : public ::testing::Test {
 protected:
  ResolveTest() {
    options_.experiment = "test/small";
    options_.custom_config["label_key"] = "y";
  }

  // The configuration; a failure of the test when there is none.
  std::unique_ptr<ExperimentConfig> Resolve() {
    auto config = ResolveExperiment(options_);
    EXPECT_TRUE(config.ok()) << config.status();
    return config.ok() ? *std::move(config) : MakeTestConfig();
  }

  void ExpectError(const std::string& message,
                   absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    const absl::Status status = ResolveExperiment(options_).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(status.message(), HasSubstr(message));
  }

  TempDir folder_;
  ExperimentOptions options_;
};

// Whichever layers there are, the last of them wins.
TEST_F(ResolveTest, EachLayerWinsOverThoseBeforeIt) {
  const std::string first =
      folder_.Write("1.yaml", "trainer: {train_steps: 2}");
  const std::string second =
      folder_.Write("2.yaml", "trainer: {train_steps: 3}");
  const std::vector<std::function<void(ExperimentOptions&)>> layers = {
      [&](auto& options) { options.custom_config["config_file"] = first; },
      [&](auto& options) { options.config_files = {second}; },
      [](auto& options) { options.custom_config["train_steps"] = 4; },
      [](auto& options) {
        options.hyperparameters = {{"values", {{"train_steps", 5}}}};
      },
      [](auto& options) {
        options.custom_config["params_override"] = "trainer.train_steps=6";
      },
      [](auto& options) {
        options.params_override = {"trainer.train_steps=7"};
      },
      [](auto& options) { options.train_steps = 8; },
  };
  const ExperimentOptions empty = options_;
  for (unsigned chosen = 0; chosen < 1U << layers.size(); ++chosen) {
    options_ = empty;
    int64_t expected = 1;
    for (size_t i = 0; i < layers.size(); ++i) {
      if ((chosen >> i & 1) == 0) continue;
      layers[i](options_);
      expected = static_cast<int64_t>(i) + 2;
    }
    ASSERT_EQ(Resolve()->trainer.train_steps, expected) << chosen;
  }
}

TEST_F(ResolveTest, FilesAndOverridesAreTakenInOrder) {
  options_.config_files = {
      folder_.Write("1.yaml", "trainer: {max_to_keep: 2, train_steps: 2}"),
      folder_.Write("2.yaml", "trainer: {train_steps: 3}")};
  options_.params_override = {"runtime.seed=4,runtime.num_gpus=1",
                              "runtime.seed=5"};
  const auto config = Resolve();
  EXPECT_EQ(config->trainer.max_to_keep, 2);
  EXPECT_EQ(config->trainer.train_steps, 3);
  EXPECT_EQ(config->runtime.seed, 5);
  EXPECT_EQ(config->runtime.num_gpus, 1);
}

TEST_F(ResolveTest, EveryKeyOfACustomConfigHasAMeaning) {
  options_.custom_config = {
      {"label_key", "species"},    {"hidden_units", {4, 2}},
      {"learning_rate", 0.5},      {"batch_size", 64},
      {"train_steps", 7},          {"seed", 3},
      {"checkpoint_interval", 10}, {"max_to_keep", 2},
      {"log_interval", 5},         {"allow_no_match", true}};
  const auto config = Resolve();
  const auto& task = dynamic_cast<const TestTaskConfig&>(*config->task);
  const TrainerConfig& trainer = config->trainer;
  EXPECT_EQ(task.label, "species");
  EXPECT_THAT(task.units, ElementsAre(4, 2));
  EXPECT_EQ(trainer.optimizer_config.learning_rate.constant.learning_rate, 0.5);
  EXPECT_EQ(task.train_data.global_batch_size, 64);
  EXPECT_EQ(task.validation_data.global_batch_size, 64);
  EXPECT_EQ(trainer.train_steps, 7);
  EXPECT_EQ(config->runtime.seed, 3);
  EXPECT_EQ(trainer.checkpoint_interval, 10);
  EXPECT_EQ(trainer.max_to_keep, 2);
  EXPECT_EQ(trainer.steps_per_loop, 5);
  EXPECT_EQ(trainer.summary_interval, 5);
  EXPECT_TRUE(task.allow_no_match);
}

TEST_F(ResolveTest, CustomConfigMayNameExperimentFilesAndOverrides) {
  options_.experiment = "";
  options_.custom_config = {
      {"experiment", "test/large"},
      {"config_file",
       {folder_.Write("1.yaml", "trainer: {max_to_keep: 2}"),
        folder_.Write("2.yaml", "task: {label: z}")}},
      {"params_override", {{"train_steps", 9}, {"runtime.seed", 4}}},
      {"trainer", {{"checkpoint_interval", 12}}},
      {"task.units", {5}}};
  const auto config = Resolve();
  const auto& task = dynamic_cast<const TestTaskConfig&>(*config->task);
  EXPECT_EQ(config->trainer.max_to_keep, 2);
  EXPECT_EQ(task.label, "z");
  EXPECT_EQ(config->trainer.train_steps, 9);
  EXPECT_EQ(config->runtime.seed, 4);
  EXPECT_EQ(config->trainer.checkpoint_interval, 12);
  EXPECT_THAT(task.units, ElementsAre(5));
}

TEST_F(ResolveTest, TheStepsArgumentsComeLast) {
  options_.params_override = {
      "task.train_data.input_path=a,trainer.validation_steps=3"};
  options_.train_steps = 20;
  options_.validation_steps = 4;
  options_.train_files = {"t1", "t2"};
  options_.validation_files = {"e"};
  options_.arguments["hidden_units"] = {3};
  const auto config = Resolve();
  EXPECT_EQ(config->trainer.train_steps, 20);
  EXPECT_EQ(config->trainer.validation_steps, 4);
  EXPECT_THAT(config->task->train_data.input_path, ElementsAre("t1", "t2"));
  EXPECT_THAT(config->task->validation_data.input_path, ElementsAre("e"));
  EXPECT_THAT(dynamic_cast<const TestTaskConfig&>(*config->task).units,
              ElementsAre(3));
}

TEST_F(ResolveTest, AShortNameReachesTheScheduleThatIsChosen) {
  options_.hyperparameters = {{"values", {{"learning_rate", 0.25}}}};
  options_.params_override = {
      "trainer.optimizer_config.learning_rate.type=cosine,"
      "trainer.optimizer_config.learning_rate.cosine.decay_steps=10"};
  const auto config = Resolve();
  EXPECT_EQ(config->trainer.optimizer_config.learning_rate.cosine
                .initial_learning_rate,
            0.25);
}

TEST_F(ResolveTest, AShortNameWithoutEffectIsAnError) {
  options_.hyperparameters = {{"values", {{"learning_rate", 0.25}}}};
  options_.params_override = {
      "trainer.optimizer_config.learning_rate={type: stepwise, stepwise: "
      "{boundaries: [1], values: [1, 2]}}"};
  ExpectError(
      "hyperparameters: 'learning_rate' has no effect: of "
      "trainer.optimizer_config.learning_rate.constant.learning_rate, ");
}

TEST_F(ResolveTest, WrongExperiments) {
  options_.experiment = "test/smoll";
  ExpectError("did you mean 'test/small'?", absl::StatusCode::kNotFound);
  options_.experiment = "test/broken";
  ExpectError("experiment 'test/broken' makes no task",
              absl::StatusCode::kFailedPrecondition);
  options_.experiment = "test/small";
  options_.custom_config["experiment"] = "test/large";
  ExpectError(
      "the experiment is 'test/small', but custom_config says "
      "'test/large': say one of them");
  options_.experiment = "";
  options_.custom_config["experiment"] = 3;
  ExpectError("custom_config: 'experiment' is 3, expected the name");
  options_.custom_config.erase("experiment");
  ExpectError("no experiment is named; there are: test/broken, test/large");
}

TEST_F(ResolveTest, WrongFiles) {
  options_.config_files = {folder_ / "none.yaml"};
  ExpectError("none.yaml", absl::StatusCode::kNotFound);
  options_.config_files = {
      folder_.Write("bad.yaml", "trainer:\n  train_step: 3\n")};
  ExpectError(
      "bad.yaml:2: trainer.train_step is unknown; did you mean "
      "'train_steps'?");
  options_.custom_config["config_file"] = 3;
  ExpectError("custom_config: 'config_file' is 3, expected a path or a list");
}

TEST_F(ResolveTest, WrongCustomConfigs) {
  options_.custom_config["batch_sise"] = 3;
  ExpectError(
      "custom_config: 'batch_sise' is unknown; did you mean "
      "'batch_size'?");
  options_.custom_config = {{"batch_size", "3"}};
  ExpectError(
      "custom_config, 'batch_size': task.train_data.global_batch_size "
      "is \"3\", expected an integer, at least 0");
  options_.custom_config = {{"trainer.train_stebs", 3}};
  ExpectError(
      "custom_config: trainer.train_stebs is unknown; did you mean "
      "'train_steps'?");
  options_.custom_config = {1, 2};
  ExpectError("custom_config is [1,2], expected names and values");
  options_.custom_config = {{"params_override", 3}};
  ExpectError("custom_config, 'params_override' is 3, expected names");
}

TEST_F(ResolveTest, WrongHyperparameters) {
  options_.hyperparameters = {{"space", 1}};
  ExpectError("hyperparameters: expected an object with the key 'values'");
  options_.hyperparameters = {{"values", {{"unit", 3}}}};
  ExpectError("hyperparameters: 'unit' is unknown; there are: ");
  options_.hyperparameters = {{"values", {{"hidden_units", {0}}}}};
  ExpectError(
      "hyperparameters, 'hidden_units': task.units is [0], expected a "
      "list of integers, at least 1");
}

TEST_F(ResolveTest, WrongOverridesAndArguments) {
  options_.params_override = {"runtime.sead=3"};
  ExpectError("params_override: runtime.sead is unknown; did you mean 'seed'?");
  options_.params_override.clear();
  options_.train_steps = -3;
  ExpectError("train_args: trainer.train_steps is -3, expected");
  options_.train_steps.reset();
  options_.validation_steps = -3;
  ExpectError("eval_args: trainer.validation_steps is -3, expected");
}

TEST_F(ResolveTest, TheWholeIsCheckedInTheEnd) {
  options_.custom_config = nullptr;
  ExpectError(
      "experiment 'test/small': task.label must be set: a string, not "
      "empty (the feature to learn)");
  options_.custom_config = {{"label_key", "y"}};
  options_.params_override = {"trainer.steps_per_loop=7"};
  ExpectError(
      "experiment 'test/small': trainer.summary_interval is 1000, "
      "expected a multiple of steps_per_loop, which is 7");
}

}  // namespace
}  // namespace rekindle

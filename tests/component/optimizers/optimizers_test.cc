#include <cmath>
#include <limits>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "optimizer_run.h"
#include "rekindle/training/optimization_config.h"
#include "rekindle/training/optimizer.h"
#include "rekindle/training/variable.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

OptimizationConfig Sgd() {
  OptimizationConfig config;
  config.optimizer.type = "sgd";
  config.learning_rate.type = "constant";
  return config;
}

std::string ErrorOf(const OptimizationConfig& config) {
  const auto optimizer = MakeOptimizer(config);
  if (optimizer.ok()) return "no error";
  EXPECT_TRUE(absl::IsInvalidArgument(optimizer.status()));
  return std::string(optimizer.status().message());
}

TEST(MakeOptimizerTest, SuggestsTheNearestNames) {
  OptimizationConfig config = Sgd();
  config.optimizer.type = "adagard";
  EXPECT_THAT(ErrorOf(config), HasSubstr("did you mean 'adagrad'?"));

  config = Sgd();
  config.learning_rate.type = "cosin";
  EXPECT_THAT(ErrorOf(config), HasSubstr("did you mean 'cosine'?"));

  config = Sgd();
  config.warmup.type = "liner";
  EXPECT_THAT(ErrorOf(config), HasSubstr("did you mean 'linear'?"));
}

TEST(MakeOptimizerTest, RefusesSchedulesWithoutSteps) {
  for (const char* type : {"exponential", "polynomial", "cosine"}) {
    OptimizationConfig config = Sgd();
    config.learning_rate.type = type;
    EXPECT_THAT(ErrorOf(config), HasSubstr("decay_steps is 0"));
  }
  for (const char* type : {"linear", "polynomial"}) {
    OptimizationConfig config = Sgd();
    config.warmup.type = type;
    EXPECT_THAT(ErrorOf(config), HasSubstr("warmup_steps is 0"));
  }
}

TEST(MakeOptimizerTest, RefusesStepsAndRatesThatDoNotFit) {
  OptimizationConfig config = Sgd();
  config.learning_rate.type = "stepwise";
  config.learning_rate.stepwise.boundaries = {10};
  config.learning_rate.stepwise.values = {0.1};
  EXPECT_THAT(ErrorOf(config), HasSubstr("one more than boundaries"));
}

TEST(MakeOptimizerTest, RefusesTwoWaysOfClipping) {
  OptimizationConfig config = Sgd();
  config.optimizer.sgd.clipnorm = 1;
  config.optimizer.sgd.clipvalue = 1;
  EXPECT_THAT(ErrorOf(config), HasSubstr("at most one"));
}

TEST(MakeOptimizerTest, NamesThePatternThatIsNone) {
  OptimizationConfig config = Sgd();
  config.optimizer.type = "adamw";
  config.optimizer.adamw.exclude_from_weight_decay = {"bias", "kernel("};
  EXPECT_THAT(ErrorOf(config),
              HasSubstr("exclude_from_weight_decay: 'kernel(' is not a regular "
                        "expression"));
}

TEST(MakeOptimizerTest, RefusesAveragesOfWhatIsNotTrained) {
  OptimizationConfig config = Sgd();
  config.ema.emplace().trainable_weights_only = false;
  EXPECT_THAT(ErrorOf(config), HasSubstr("trainable_weights_only is false"));
}

TEST(OptimizerTest, KeepsSlotsAndAveragesOfTrainableVariablesOnly) {
  OptimizationConfig config = Sgd();
  config.optimizer.sgd.momentum = 0.9;
  config.ema.emplace();
  const auto optimizer = MakeOptimizer(config);
  ASSERT_TRUE(optimizer.ok()) << optimizer.status();
  const VariableSpec kernel = {"kernel", {2, 3}, true};
  const VariableSpec mean = {"mean", {3}, false};
  const auto slots = (*optimizer)->Slots({kernel, mean});
  ASSERT_EQ(slots.size(), 2);
  EXPECT_EQ(slots[0].variable.name, "kernel/SGD/momentum");
  EXPECT_EQ(slots[0].variable.shape, kernel.shape);
  EXPECT_FALSE(slots[0].variable.trainable);
  EXPECT_EQ(slots[1].variable.name, "kernel/ExponentialMovingAverage");
  EXPECT_EQ(slots[1].copy_of, "kernel");
  EXPECT_EQ((*optimizer)->AverageOf(kernel), slots[1].variable.name);
  EXPECT_EQ((*optimizer)->AverageOf(mean), "");
}

// A loss that overflows must not leave some of the weights as they were.
TEST(OptimizerTest, ClippingByTheGlobalNormSpreadsWhatIsNotFinite) {
  OptimizationConfig config = Sgd();
  config.optimizer.sgd.global_clipnorm = 1;
  const auto optimizer = MakeOptimizer(config);
  ASSERT_TRUE(optimizer.ok()) << optimizer.status();
  for (const float bad : {std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    const tensorflow::Tensor one(1.0f);
    const std::map<std::string, FedGradient> gradients = {
        {"sound", {.value = one, .rows = {}}},
        {"unsound", {.value = tensorflow::Tensor(bad), .rows = {}}}};
    OptimizerRun run(**optimizer, {{"sound", one}, {"unsound", one}},
                     gradients);
    run.Step(0, gradients);
    for (const auto& [name, value] : run.Values()) {
      EXPECT_TRUE(std::isnan(value.scalar<float>()())) << name;
    }
  }
}

}  // namespace
}  // namespace rekindle

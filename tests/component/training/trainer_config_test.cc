#include "component/config/trainer_config.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::nlohmann::json;
using ::testing::HasSubstr;

TEST(TrainerConfigTest, DefaultsNeedOnlyALabel) {
  const auto config = ParseTrainerConfig({{"label_key", "species"}}, nullptr);
  ASSERT_TRUE(config.ok()) << config.status();
  ClassifierConfig expected;
  expected.label_key = "species";
  EXPECT_EQ(*config, expected);
}

TEST(TrainerConfigTest, HyperparametersOverrideTheConfig) {
  const json custom = {{"label_key", "species"}, {"learning_rate", 0.5}};
  const json tuned = {{"space", json::array()},
                      {"values", {{"learning_rate", 0.25}}}};
  const auto config = ParseTrainerConfig(custom, tuned);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->learning_rate, 0.25);
}

struct BadConfig {
  std::string name;
  json custom_config;
  std::string message;
  json hyperparameters;
};

class BadConfigTest : public ::testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigTest, IsRefusedByName) {
  json custom = GetParam().custom_config;
  if (custom.is_object() && GetParam().name != "NoLabel") {
    custom.emplace("label_key", "species");
  }
  const auto config = ParseTrainerConfig(custom, GetParam().hyperparameters);
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(config.status().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    ClassifierConfig, BadConfigTest,
    ::testing::ValuesIn(std::vector<BadConfig>{
        {"NoConfig", nullptr, "'label_key' is missing", nullptr},
        {"NoLabel", json::object(), "'label_key' is missing", nullptr},
        {"NotAnObject", json::array(),
         "custom_config is [], expected an object", nullptr},
        {"MisspeltKey",
         {{"learning_rat", 1}},
         "unknown key 'learning_rat'; did you mean 'learning_rate'?",
         nullptr},
        {"ForeignKey",
         {{"zzz", 1}},
         "unknown key 'zzz'; the keys are: label_key, hidden_units",
         nullptr},
        {"WrongType",
         {{"batch_size", "32"}},
         "'batch_size' is \"32\", expected an integer from 1",
         nullptr},
        {"FractionalInteger",
         {{"train_steps", 1.5}},
         "'train_steps' is 1.5, expected an integer",
         nullptr},
        {"OutOfRange",
         {{"learning_rate", -1}},
         "'learning_rate' is -1, expected a number above 0",
         nullptr},
        {"TooLargeAnInteger",
         {{"seed", 18446744073709551615u}},
         "'seed' is 18446744073709551615, expected",
         nullptr},
        {"BadElement",
         {{"hidden_units", {16, 0}}},
         "'hidden_units' is [16,0], expected a list of integers",
         nullptr},
        {"HyperparametersWithoutValues", json::object(),
         "hyperparameters: expected an object with the key 'values'",
         json::object()},
        {"BadHyperparameter",
         json::object(),
         "hyperparameters: unknown key 'units'",
         {{"values", {{"units", 3}}}}},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rekindle

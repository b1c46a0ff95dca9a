#include "component/config/config_tree.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "component/config/config_layer.h"
#include "component/config/field_value.h"
#include "component/config/yaml.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/experiment_config.h"
#include "tests/component/config/house_config.h"

namespace rekindle {
namespace {

// Makes configs that keep their rules.
class ConfigGenerator {
 public:
  explicit ConfigGenerator(int seed) : random_(seed) {}

  void Fill(Config& config) {
    ConfigFields fields;
    config.Describe(fields);
    for (const ConfigField& field : fields.fields()) {
      if (fields.is_choice() && field.name() == "type") {
        SetFieldValue(field, Pick(fields.Choices()));
      } else {
        FillField(field);
      }
    }
  }

 private:
  int Below(int bound) {
    return std::uniform_int_distribution<int>(0, bound - 1)(random_);
  }

  std::string Pick(const std::vector<std::string>& words) {
    return words[Below(static_cast<int>(words.size()))];
  }

  void FillField(const ConfigField& field) {
    if (const auto* config = std::get_if<Config*>(&field.target())) {
      return Fill(**config);
    }
    if (const auto* children = std::get_if<ConfigChildren>(&field.target())) {
      return FillChildren(*children);
    }
    // A value that breaks a rule changes nothing: some try will not.
    for (int i = 0; i < 20; ++i) SetFieldValue(field, Value());
  }

  void FillChildren(const ConfigChildren& children) {
    for (int i = Below(3); i > 0; --i) Fill(*children.find_or_make(String()));
  }

  ConfigJson Value() {
    if (Below(3) > 0) return ScalarValue();
    ConfigJson list = ConfigJson::array();
    const auto state = random_;
    for (int i = Below(4); i > 0; --i) {
      random_ = state;  // elements of one type
      list.push_back(ScalarValue());
    }
    return list;
  }

  ConfigJson ScalarValue() {
    switch (Below(7)) {
      case 0:
        return nullptr;
      case 1:
        return Below(2) == 0;
      case 2:
        return Below(20) - 2;
      case 3:
        return static_cast<int64_t>(random_() >> Below(64));
      case 4:
        return std::ldexp(static_cast<double>(random_()), -Below(140));
      case 5:
        return std::uniform_real_distribution<double>(0, 1)(random_);
      default:
        return String();
    }
  }

  std::string String() {
    static const auto& kWords = *new std::vector<std::string>{
        "",       "a",      "true",  "null",     "yes",    "1",    "1e5",
        ".5",     "~",      "- x",   "a: b",     "#c",     "'q'",  "\"d\"",
        "\n",     "\t",     "\\",    "ü",        "😀",      "[",    "{}",
        ",",      "&a",     "*b",    "!t",       "%",      "@",    "`",
        "  sp  ", "|",      ">",     "=",        "\x01",   "\x7f", "red",
        "blue",   "higher", "lower", "mirrored", "float16"};
    std::string text = Pick(kWords);
    while (Below(3) == 0) text += Pick(kWords);
    return text;
  }

  std::mt19937_64 random_;
};

// The law: what is written reads back as the same.
template <typename T>
void ExpectReadsBack(const Config& written, T& read) {
  const std::string text = ConfigToYaml(written);
  const auto layer = ParseYaml("params.yaml", text);
  ASSERT_TRUE(layer.ok()) << layer.status() << "\n" << text;
  const absl::Status applied = ApplyLayer(*layer, read);
  ASSERT_TRUE(applied.ok()) << applied << "\n" << text;
  ASSERT_EQ(ConfigToJson(read), ConfigToJson(written)) << text;
  ASSERT_EQ(ConfigToYaml(read), text);
}

TEST(ConfigTreeTest, AnyConfigReadsBackAsItWasWritten) {
  for (int seed = 0; seed < 500; ++seed) {
    HouseConfig written;
    ConfigGenerator(seed).Fill(written);
    HouseConfig read;
    ASSERT_NO_FATAL_FAILURE(ExpectReadsBack(written, read)) << "seed " << seed;
    ASSERT_EQ(read.address, written.address);
    ASSERT_EQ(read.owners, written.owners);
    ASSERT_EQ(read.price, written.price);
    ASSERT_EQ(read.lights, written.lights);
    ASSERT_EQ(read.attic.has_value(), written.attic.has_value());
  }
}

ExperimentConfig Experiment() {
  ExperimentConfig config;
  config.task = std::make_unique<TaskConfig>();
  return config;
}

TEST(ConfigTreeTest, AnyExperimentReadsBackAsItWasWritten) {
  for (int seed = 0; seed < 200; ++seed) {
    ExperimentConfig written = Experiment();
    ConfigGenerator(seed).Fill(written);
    ExperimentConfig read = Experiment();
    ASSERT_NO_FATAL_FAILURE(ExpectReadsBack(written, read)) << "seed " << seed;
    ASSERT_EQ(read.trainer.loss_upper_bound, written.trainer.loss_upper_bound);
    ASSERT_EQ(read.task->train_data.seed, written.task->train_data.seed);
  }
}

TEST(ConfigTreeTest, OfAChoiceOnlyTheChosenIsWritten) {
  HeatingConfig heating;
  EXPECT_EQ(ConfigToYaml(heating), "type: null\n");
  heating.type = "stove";
  heating.stove.logs = 2;
  EXPECT_EQ(ConfigToYaml(heating),
            "type: stove\nstove:\n  heat: 0.5\n  logs: 2\n");
}

TEST(CheckConfigTest, AcceptsWhatIsWhole) {
  EXPECT_TRUE(CheckConfig(HouseConfig()).ok());
}

TEST(CheckConfigTest, SaysWhatMustBeSetInWhatIsChosen) {
  HouseConfig house;
  house.heating.type = "stove";
  EXPECT_EQ(CheckConfig(house).message(),
            "heating.stove.logs must be set: an integer, at least 1 (wood to "
            "burn)");
  house.heating.type = "sun";
  EXPECT_TRUE(CheckConfig(house).ok());
}

TEST(CheckConfigTest, LooksIntoEveryConfig) {
  HouseConfig house;
  house.rooms["den"].windows = 12;
  EXPECT_EQ(CheckConfig(house).message(),
            "rooms.den.windows is 12, expected an integer, at least 0 and at "
            "most 9");
  house.rooms.clear();
  house.attic.emplace().colour = "grey";
  EXPECT_EQ(CheckConfig(house).message(),
            "attic.colour is \"grey\", expected a string, one of white, red, "
            "blue");
  house.attic.reset();
  house.heating.type = "coal";
  EXPECT_EQ(CheckConfig(house).message(),
            "heating.type is 'coal', which is unknown; there are: stove, sun");
}

TEST(CheckConfigTest, AsksTheConfigsThemselves) {
  HouseConfig house;
  house.floors = 9;
  EXPECT_EQ(CheckConfig(house).message(),
            "height is less than a metre a floor");

  OptimizationConfig optimization;
  optimization.optimizer.type = "sgd";
  optimization.optimizer.sgd.clipnorm = 1;
  optimization.optimizer.sgd.clipvalue = 1;
  optimization.learning_rate.type = "constant";
  EXPECT_EQ(CheckConfig(optimization).message(),
            "optimizer.sgd.clipnorm, clipvalue and global_clipnorm exclude "
            "each other: set at most one");
}

TEST(IsActiveTest, FollowsThePathThroughWhatIsChosen) {
  HouseConfig house;
  house.rooms["den"];
  house.heating.type = "stove";
  for (const char* path :
       {"floors", "kitchen", "kitchen.windows", "rooms.den",
        "rooms.den.windows", "heating.type", "heating.stove.logs"}) {
    EXPECT_TRUE(IsActive(house, path)) << path;
  }
  for (const char* path :
       {"flors", "floors.x", "attic.windows", "rooms.hall", "rooms.den.x",
        "heating.sun", "heating.sun.windows"}) {
    EXPECT_FALSE(IsActive(house, path)) << path;
  }
}

}  // namespace
}  // namespace rekindle

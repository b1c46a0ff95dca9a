#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "component/contract/executor_input.h"
#include "component/contract/executor_output.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

// Random values of every shape the contract can carry.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  ExecutorInput Input() {
    return {.pipeline = Text(),
            .run_id = Text(),
            .node_id = Text(),
            .execution_id = Integer(),
            .train_files = Texts(),
            .eval_files = Texts(),
            .train_steps = Maybe(),
            .eval_steps = Maybe(),
            .schema_path = Text(),
            .transform_graph_path = Text(),
            .serving_model_dir = Text(),
            .eval_model_dir = Text(),
            .model_run_dir = Text(),
            .base_model = Text(),
            .hyperparameters = Config(),
            .custom_config = Config(),
            .num_examples = Config(),
            .deadline = Text(),
            .progress_path = Text(),
            .output_path = Text()};
  }

  ExecutorOutput Output() {
    ExecutorOutput output;
    if (Coin())
      output.error = ExecutorError{
          .code = Below(16) + 1, .message = Text(), .reason = Text()};
    output.train_complete = Coin();
    output.global_step = Integer();
    output.resumed_from_step = Maybe();
    for (int i = Below(4); i > 0; --i) output.metrics[Text()] = Number();
    if (Coin()) output.warm_start = Report();
    for (int i = Below(4); i > 0; --i) output.environment[Text()] = Text();
    return output;
  }

 private:
  int Below(int n) {
    return static_cast<int>(random_() % static_cast<uint32_t>(n));
  }
  bool Coin() { return Below(2) == 0; }
  int64_t Integer() { return static_cast<int64_t>(wide_()); }

  std::optional<int64_t> Maybe() {
    if (Coin()) return std::nullopt;
    return Integer();
  }

  double Number() {
    if (Below(8) == 0) return std::numeric_limits<double>::infinity();
    return std::ldexp(static_cast<double>(Integer()), Below(200) - 150);
  }

  std::string Text() {
    static const std::vector<std::string> kPieces = {
        "a", "Split-train/*", "\"", "\\", "\n", "é", "鳥", " ", "\x01", "/"};
    std::string text;
    for (int i = Below(6); i > 0; --i) text += kPieces[Below(10)];
    return text;
  }

  std::vector<std::string> Texts() {
    std::vector<std::string> texts(Below(4));
    for (std::string& text : texts) text = Text();
    return texts;
  }

  nlohmann::json Config() {
    if (Coin()) return nullptr;
    return {{"label_key", Text()}, {"hidden_units", {Below(64), Below(64)}}};
  }

  WarmStartReport Report() {
    WarmStartReport report;
    report.base_model = Text();
    for (int i = Below(4); i > 0; --i) {
      report.variables.push_back(
          {.name = Text(), .restored = Coin(), .reason = Text()});
    }
    return report;
  }

  std::mt19937 random_;
  std::mt19937_64 wide_{random_()};
};

class ExecutorContractTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  TempDir folder_;
};

TEST_F(ExecutorContractTest, AnyInputSurvivesItsText) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const ExecutorInput input = Generator(seed).Input();
    const auto read =
        ExecutorInputFromJson(nlohmann::json::parse(ToJson(input).dump()));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, input) << "seed " << seed;
  }
}

TEST_F(ExecutorContractTest, AnyOutputSurvivesItsText) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const ExecutorOutput output = Generator(seed).Output();
    const auto read =
        ExecutorOutputFromJson(nlohmann::json::parse(ToJson(output).dump()));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, output) << "seed " << seed;
  }
}

TEST_F(ExecutorContractTest, FilesAreReadBackAndReplaced) {
  for (uint32_t seed = 0; seed < 3; ++seed) {
    const ExecutorInput input = Generator(seed).Input();
    ASSERT_TRUE(WriteExecutorInput(input, Path("input.json")).ok());
    EXPECT_EQ(ReadExecutorInput(Path("input.json")).value(), input);
    const ExecutorOutput output = Generator(seed).Output();
    ASSERT_TRUE(WriteExecutorOutput(output, Path("output.json")).ok());
    EXPECT_EQ(ReadExecutorOutput(Path("output.json")).value(), output);
  }
}

TEST_F(ExecutorContractTest, AMetricThatIsNotANumberStaysOne) {
  ExecutorOutput output;
  output.metrics["loss"] = std::nan("");
  const auto read = ExecutorOutputFromJson(ToJson(output));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(std::isnan(read->metrics.at("loss")));
}

TEST_F(ExecutorContractTest, EachMissingKeyIsNamed) {
  const nlohmann::json whole = ToJson(Generator(1).Input());
  for (const auto& [key, value] : whole.items()) {
    nlohmann::json json = whole;
    json.erase(key);
    const auto read = ExecutorInputFromJson(json);
    if (key == "train_steps" || key == "eval_steps") {
      EXPECT_TRUE(read.ok()) << read.status();
      continue;
    }
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(read.status().message(), HasSubstr("'" + key + "'"));
  }
}

TEST_F(ExecutorContractTest, EachKeyOfTheWrongTypeIsNamed) {
  const nlohmann::json whole = ToJson(Generator(1).Output());
  for (const auto& [key, value] : whole.items()) {
    nlohmann::json json = whole;
    json[key] = 1.5;
    const auto read = ExecutorOutputFromJson(json);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(read.status().message(),
                HasSubstr(key == "error" ? "error" : "'" + key + "'"));
  }
}

TEST_F(ExecutorContractTest, AnUnknownKeyIsNamedAlsoWhenNested) {
  nlohmann::json json = ToJson(ExecutorInput{});
  json["train_step"] = 5;
  EXPECT_EQ(ExecutorInputFromJson(json).status().message(),
            "executor input: unknown key 'train_step'");

  json = ToJson(ExecutorOutput{});
  json["error"] = {{"code", 3}, {"message", "m"}, {"hint", "h"}};
  EXPECT_EQ(ExecutorOutputFromJson(json).status().message(),
            "executor output: 'error': error: unknown key 'hint'");
}

TEST_F(ExecutorContractTest, AnIntegerThatDoesNotFitIsRefused) {
  nlohmann::json json = ToJson(ExecutorOutput{});
  json["global_step"] = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(ExecutorOutputFromJson(json).status().message(),
              HasSubstr("'global_step'"));
}

TEST_F(ExecutorContractTest, AFileThatIsNotThereIsNotFound) {
  EXPECT_EQ(ReadExecutorOutput(Path("none.json")).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(ExecutorContractTest, AFileCutShortIsInvalid) {
  const auto read =
      ReadExecutorOutput(folder_.Write("cut.json", R"({"error": nu)"));
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(read.status().message(), HasSubstr("cut.json"));
}

TEST_F(ExecutorContractTest, AFailedWriteLeavesNothingBehind) {
  const std::string folder = Path("no/such/folder");
  EXPECT_EQ(WriteExecutorOutput({}, folder + "/output.json").code(),
            absl::StatusCode::kUnavailable);
  EXPECT_FALSE(std::filesystem::exists(Path("no")));
}

TEST_F(ExecutorContractTest, BytesThatAreNotUtf8DoNotStopTheReport) {
  ExecutorOutput output;
  output.error =
      ExecutorError{.code = 3, .message = "bad name '\xff'", .reason = ""};
  ASSERT_TRUE(WriteExecutorOutput(output, Path("output.json")).ok());
  const auto read = ReadExecutorOutput(Path("output.json"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->error->message, "bad name '\uFFFD'");
}

}  // namespace
}  // namespace rekindle

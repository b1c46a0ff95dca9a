#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/time/time.h"
#include "component/io/saved_model_reader.h"
#include "component/training/executor_run.h"
#include "component/training/predictor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/component/training/training_data.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct TrainerResult {
  absl::Status status;
  ExecutorOutput output;
  std::string log;

  double Metric(const std::string& name) const {
    return output.metrics.at(name);
  }
};

class TrainerTest : public ::testing::Test {
 protected:
  ExecutorInput Input(const std::string& run) {
    return MakeTrainingInput(folder_.path(), run);
  }

  // Trains; asks to stop before the step with number `stop_at`.
  static TrainerResult Run(const ExecutorInput& input, int stop_at = -1) {
    std::ostringstream log;
    int asked = 0;
    ExecutorOutput output;
    const absl::Status status = RunExecutor(
        input,
        {.stop_signal =
             [&] { return stop_at >= 0 && asked++ >= stop_at ? SIGTERM : 0; },
         .log = &log},
        &output);
    return {status, output, log.str()};
  }

  // Trains at a clock that moves a second with every look at it.
  static TrainerResult RunTimed(const ExecutorInput& input) {
    std::ostringstream log;
    absl::Time now = kNow;
    ExecutorOutput output;
    const absl::Status status =
        RunExecutor(input,
                    {.stop_signal = [] { return 0; },
                     .log = &log,
                     .now = [&] { return now += absl::Seconds(1); }},
                    &output);
    return {status, output, log.str()};
  }

  static std::string After(absl::Duration duration) {
    return absl::FormatTime(absl::RFC3339_full, kNow + duration,
                            absl::UTCTimeZone());
  }

  inline static const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

  // A finished run and its model, for others to start from.
  TrainerResult Cold() {
    TrainerResult cold = Run(Input("cold"));
    EXPECT_TRUE(cold.status.ok()) << cold.status;
    return cold;
  }

  ExecutorInput WarmInput(const std::string& run) {
    ExecutorInput input = Input(run);
    input.base_model = Input("cold").serving_model_dir;
    return input;
  }

  static std::string ReasonOf(const TrainerResult& result,
                              const std::string& name) {
    for (const auto& variable : result.output.warm_start->variables) {
      if (variable.name == name) return variable.reason;
    }
    return "not reported";
  }

  // Every variable of a finished run's model, as bytes.
  static std::string WeightBytes(const ExecutorInput& input) {
    const auto saved = ReadSavedVariables(input.serving_model_dir);
    EXPECT_TRUE(saved.ok()) << saved.status();
    std::string bytes;
    for (const auto& [name, value] : saved->values) {
      bytes += name;
      bytes += value.tensor_data();
    }
    return bytes;
  }

  static bool HasModel(const ExecutorInput& input) {
    return std::filesystem::exists(input.serving_model_dir + "/saved_model.pb");
  }

  TempDir folder_;
};

TEST_F(TrainerTest, AColdRunLearnsAndExports) {
  const ExecutorInput input = Input("cold");
  const TrainerResult cold = Run(input);
  ASSERT_TRUE(cold.status.ok()) << cold.status;
  EXPECT_GE(cold.Metric("accuracy"), 0.9);
  EXPECT_LT(cold.Metric("loss"), cold.Metric("first_eval_loss") / 2);
  EXPECT_EQ(cold.Metric("eval_examples"), 60);
  EXPECT_EQ(cold.output.global_step, 60);
  EXPECT_TRUE(cold.output.train_complete);
  EXPECT_FALSE(cold.output.warm_start.has_value());
  EXPECT_TRUE(HasModel(input));
  EXPECT_THAT(cold.log, HasSubstr("feature 'comment' is not used"));
}

TEST_F(TrainerTest, AWarmRunStartsWhereTheColdOneEnded) {
  const TrainerResult cold = Cold();
  const TrainerResult warm = Run(WarmInput("warm"));
  ASSERT_TRUE(warm.status.ok()) << warm.status;
  EXPECT_NEAR(warm.Metric("first_eval_loss"), cold.Metric("loss"), 1e-6);
  EXPECT_LT(warm.Metric("first_eval_loss"), cold.Metric("first_eval_loss") / 2);
  EXPECT_THAT(warm.log, Not(HasSubstr("not restored")));
}

TEST_F(TrainerTest, ABaseOfOtherShapesTrainsAndSaysWhatWasNotRestored) {
  Cold();
  ExecutorInput input = WarmInput("warm");
  input.custom_config["hidden_units"] = {16, 8};
  const TrainerResult warm = Run(input);
  ASSERT_TRUE(warm.status.ok()) << warm.status;
  EXPECT_EQ(ReasonOf(warm, "dense/kernel"), "");
  EXPECT_EQ(ReasonOf(warm, "dense_1/kernel"),
            "shape [16,16] in the base model, [16,8] here");
  EXPECT_THAT(warm.log, HasSubstr("dense_1/kernel          not restored: "));
}

TEST_F(TrainerTest, ReorderedClassesAreNotRestored) {
  Cold();
  ExecutorInput input = WarmInput("warm");
  input.schema_path = folder_ / "other.pbtxt";
  std::string schema = kTrainingSchema;
  const std::string from = "value: \"adelie\" value: \"chinstrap\"";
  schema.replace(schema.find(from), from.size(),
                 "value: \"chinstrap\" value: \"adelie\"");
  WriteText(input.schema_path, schema);
  const TrainerResult warm = Run(input);
  ASSERT_TRUE(warm.status.ok()) << warm.status;
  EXPECT_THAT(ReasonOf(warm, "logits/kernel"), HasSubstr("its classes differ"));
  EXPECT_EQ(ReasonOf(warm, "dense/kernel"), "");
}

TEST_F(TrainerTest, ABaseWithNothingInCommonIsRefusedUnlessAllowed) {
  ExecutorInput input = Input("warm");
  input.base_model = folder_ / "stranger";
  std::filesystem::create_directories(input.base_model + "/variables");
  ASSERT_TRUE(WriteTensors({{"other", tensorflow::Tensor(1.0f)}},
                           input.base_model + "/variables/variables")
                  .ok());
  EXPECT_EQ(Run(input).status.code(), absl::StatusCode::kFailedPrecondition);
  input.custom_config["allow_no_match"] = true;
  EXPECT_TRUE(Run(input).status.ok());
}

TEST_F(TrainerTest, AResumedRunEndsWithTheWeightsOfAnUninterruptedOne) {
  const ExecutorInput whole = Input("whole");
  ASSERT_TRUE(Run(whole).status.ok());
  for (const int stop_at : {0, 1, 25, 59}) {
    const ExecutorInput input = Input("stop" + std::to_string(stop_at));
    const TrainerResult stopped = Run(input, stop_at);
    EXPECT_EQ(stopped.status.code(), absl::StatusCode::kCancelled);
    EXPECT_FALSE(HasModel(input));

    const TrainerResult resumed = Run(input);
    ASSERT_TRUE(resumed.status.ok()) << resumed.status;
    EXPECT_EQ(resumed.output.resumed_from_step, stop_at);
    EXPECT_EQ(resumed.Metric("first_eval_loss"),
              stopped.Metric("first_eval_loss"));
    EXPECT_EQ(WeightBytes(input), WeightBytes(whole)) << stop_at;
  }
}

TEST_F(TrainerTest, AResumedWarmRunKeepsItsReportAndIsNotWarmedAgain) {
  Cold();
  ExecutorInput input = WarmInput("warm");
  const TrainerResult stopped = Run(input, 30);
  std::filesystem::remove_all(input.base_model);  // Must not be read again.
  const TrainerResult resumed = Run(input);
  ASSERT_TRUE(resumed.status.ok()) << resumed.status;
  EXPECT_EQ(resumed.output.warm_start, stopped.output.warm_start);
}

TEST_F(TrainerTest, TheModelAnswersWithNamesAndProbabilities) {
  Cold();
  auto predictor =
      LoadPredictor(Input("cold").serving_model_dir, "serving_default");
  ASSERT_TRUE(predictor.ok()) << predictor.status();
  std::ostringstream out;
  ASSERT_TRUE(PredictFiles(folder_ / "Split-eval/*", **predictor, out).ok());
  std::istringstream lines(out.str());
  std::string line;
  int count = 0;
  for (; std::getline(lines, line); ++count) {
    const auto answer = nlohmann::json::parse(line);
    EXPECT_EQ(answer["classes"],
              nlohmann::json({"adelie", "chinstrap", "gentoo"}));
    const auto scores = answer["scores"].get<std::vector<double>>();
    const auto best = std::ranges::max_element(scores) - scores.begin();
    EXPECT_EQ(answer["predicted"], answer["classes"][best]);
  }
  EXPECT_EQ(count, 60);
}

TEST_F(TrainerTest, ModelsWithoutOneKindOfFeatureTrain) {
  const std::string label =
      "feature { name: 'species' type: BYTES string_domain "
      "{ value: 'adelie' value: 'chinstrap' value: 'gentoo' } }";
  const std::vector<std::string> others = {
      "feature { name: 'length' type: FLOAT }",
      "feature { name: 'island' type: BYTES string_domain { value: 'dream' } "
      "}"};
  for (size_t i = 0; i < others.size(); ++i) {
    ExecutorInput input = Input("one_kind" + std::to_string(i));
    input.schema_path = folder_ / "one_kind.pbtxt";
    input.custom_config["hidden_units"] = nlohmann::json::array();
    WriteText(input.schema_path, label + others[i]);
    const TrainerResult result = Run(input);
    ASSERT_TRUE(result.status.ok()) << result.status;
    EXPECT_LT(result.Metric("loss"), result.Metric("first_eval_loss"));
  }
}

TEST_F(TrainerTest, EvalStepsLimitTheEvaluation) {
  ExecutorInput input = Input("eval_steps");
  input.eval_steps = 1;
  input.custom_config["batch_size"] = 8;
  const TrainerResult result = Run(input);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.Metric("eval_examples"), 8);
}

TEST_F(TrainerTest, AStepEvaluatesAtEachIntervalAndKeepsTheBestCheckpoint) {
  ExecutorInput input = Input("intervals");
  input.custom_config["trainer"] = {
      {"validation_interval", 20},
      {"best_checkpoint_export_subdir", "best"},
      {"best_checkpoint_eval_metric", "validation_loss"},
      {"best_checkpoint_metric_comp", "lower"}};
  const TrainerResult result = Run(input);
  ASSERT_TRUE(result.status.ok()) << result.status;
  for (const char* line : {"eval  | step:     20", "eval  | step:     40",
                           "eval  | step:     60"}) {
    EXPECT_THAT(result.log, HasSubstr(line));
  }
  std::ifstream file(input.model_run_dir + "/best/info.json");
  const auto info = nlohmann::json::parse(file);
  EXPECT_LE(info.at("validation_loss"), result.Metric("loss"));
}

struct BadInput {
  std::string name;
  std::function<void(ExecutorInput*)> edit;
  absl::StatusCode code;
  std::string message;
};

class BadInputTest : public TrainerTest,
                     public ::testing::WithParamInterface<BadInput> {};

TEST_P(BadInputTest, EndsInASentenceAndWithoutAModel) {
  ExecutorInput input = Input("bad");
  GetParam().edit(&input);
  const TrainerResult result = Run(input);
  EXPECT_EQ(result.status.code(), GetParam().code) << result.status;
  EXPECT_THAT(result.status.message(), HasSubstr(GetParam().message));
  EXPECT_FALSE(HasModel(input));
}

INSTANTIATE_TEST_SUITE_P(
    Trainer, BadInputTest,
    ::testing::ValuesIn(std::vector<BadInput>{
        {"NoSchema", [](ExecutorInput* input) { input->schema_path = ""; },
         absl::StatusCode::kInvalidArgument, "task.schema_path must be set"},
        {"NoSteps", [](ExecutorInput* input) { input->train_steps = -1; },
         absl::StatusCode::kInvalidArgument, "is -1, expected at least 1"},
        {"NoTransformGraph",
         [](ExecutorInput* input) {
           input->transform_graph_path = "/no/graph";
         },
         absl::StatusCode::kNotFound,
         "'/no/graph' is not what a Transform component writes"},
        {"AnUnknownKey",
         [](ExecutorInput* input) { input->custom_config["step"] = 1; },
         absl::StatusCode::kInvalidArgument, "'step' is unknown"},
        {"NoTrainFile",
         [](ExecutorInput* input) { input->train_files = {"/no/such/*"}; },
         absl::StatusCode::kNotFound, "no file matches '/no/such/*'"},
        {"NoBaseModel",
         [](ExecutorInput* input) { input->base_model = "/no/such/model"; },
         absl::StatusCode::kNotFound, "(reading the base model)"},
        {"AnExplodingLoss",
         [](ExecutorInput* input) {
           input->custom_config["learning_rate"] = 1e30;
         },
         absl::StatusCode::kInvalidArgument, "lower learning_rate"},
    }),
    [](const auto& test) { return test.param.name; });

TEST_F(TrainerTest, ACheckpointOfAnotherModelIsRefused) {
  ExecutorInput input = Input("run");
  ASSERT_TRUE(Run(input).status.ok());
  input.custom_config["hidden_units"] = {8};
  const TrainerResult result = Run(input);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(result.status.message(),
              HasSubstr("'dense/kernel' is [4,16] there, [4,8] here"));
}

TEST_F(TrainerTest, ADeadlineEndsTrainingInTimeForAModel) {
  ExecutorInput input = Input("late");
  input.train_steps = 1'000'000;
  input.deadline = After(absl::Minutes(10));
  const TrainerResult result = RunTimed(input);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_FALSE(result.output.train_complete);
  EXPECT_GT(result.output.global_step, 0);
  EXPECT_LT(result.output.global_step, 600);
  EXPECT_THAT(result.log, HasSubstr("before the deadline"));
  EXPECT_TRUE(LoadPredictor(input.serving_model_dir, "serving_default").ok());
  EXPECT_GT(result.Metric("accuracy"), 0);
  EXPECT_TRUE(std::filesystem::exists(
      input.model_run_dir + "/ckpt-" +
      std::to_string(result.output.global_step) + ".index"));
}

TEST_F(TrainerTest, ADeadlineFarAwayChangesNothing) {
  ExecutorInput input = Input("early");
  input.deadline = After(absl::Hours(24));
  const TrainerResult result = RunTimed(input);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_TRUE(result.output.train_complete);
}

TEST_F(TrainerTest, ADeadlineThatLeavesNoTimeAtAllIsAnError) {
  ExecutorInput input = Input("too_late");
  input.deadline = After(absl::ZeroDuration());
  EXPECT_EQ(RunTimed(input).status.code(), absl::StatusCode::kDeadlineExceeded);
  input.deadline = "tomorrow";
  EXPECT_EQ(RunTimed(input).status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(TrainerTest, ProgressIsInItsFileAndAtTheEndItIsWhole) {
  ExecutorInput input = Input("progress");
  input.progress_path = folder_ / "progress.txt";
  std::string halfway;
  std::ostringstream log;
  ExecutorOutput output;
  const absl::Status stopped =
      RunExecutor(input,
                  {.stop_signal =
                       [&] {
                         std::ifstream(input.progress_path) >> halfway;
                         return halfway == "1/60" ? SIGTERM : 0;
                       },
                   .log = &log},
                  &output);
  EXPECT_EQ(stopped.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(halfway, "1/60") << "told with the first step";

  ASSERT_TRUE(Run(input).status.ok());
  std::string all;
  std::ifstream(input.progress_path) >> all;
  EXPECT_EQ(all, "60/60");
}

}  // namespace
}  // namespace rekindle

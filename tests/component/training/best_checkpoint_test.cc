#include "rekindle/training/best_checkpoint.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>

#include "component/contract/whole_file.h"
#include "component/io/tensor_bundle.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "rekindle/training/checkpoint_manager.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

class BestCheckpointTest : public ::testing::Test {
 protected:
  // A run starts, perhaps anew.
  void Start(const std::string& comparison = "higher",
             const std::string& metric = "accuracy") {
    const auto action = MakeBestCheckpointExport(
        {.folder = folder_ / "best",
         .metric = metric,
         .comparison = comparison,
         .global_step = [this] { return step_; },
         .state = [this]() -> absl::StatusOr<NamedTensors> {
           return NamedTensors{{"global_step", tensorflow::Tensor(step_)}};
         }});
    ASSERT_TRUE(action.ok()) << action.status();
    look_ = *action;
  }

  void Evaluate(int64_t step, double value) {
    step_ = step;
    const absl::Status looked = look_({{"accuracy", value}, {"loss", 0.5}});
    EXPECT_TRUE(looked.ok()) << looked;
  }

  // The step of the checkpoint in the folder; it is the only one.
  int64_t BestStep() const {
    const auto prefix = FindCheckpoint(folder_ / "best");
    EXPECT_TRUE(prefix.ok()) << prefix.status();
    int checkpoints = 0;
    for (const auto& file :
         std::filesystem::directory_iterator(folder_ / "best")) {
      if (file.path().extension() == ".index") ++checkpoints;
    }
    EXPECT_EQ(checkpoints, 1);
    return ReadTensors(*prefix)->at("global_step").scalar<int64_t>()();
  }

  nlohmann::json Info() const {
    return nlohmann::json::parse(*ReadWholeFile(folder_ / "best/info.json"));
  }

  TempDir folder_;
  int64_t step_ = 0;
  Action look_;
};

TEST_F(BestCheckpointTest, TheHighestIsKeptWithWhatWasMeasured) {
  Start();
  Evaluate(10, 0.5);
  Evaluate(20, 0.75);
  Evaluate(30, 0.625);
  EXPECT_EQ(BestStep(), 20);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "best/best_ckpt-20.index"));
  EXPECT_EQ(Info(), nlohmann::json({{"accuracy", 0.75},
                                    {"loss", 0.5},
                                    {"best_ckpt_global_step", 20}}));
}

TEST_F(BestCheckpointTest, TheLowestIsKeptWhenLowerIsBetter) {
  Start("lower");
  Evaluate(10, 0.5);
  Evaluate(20, 0.75);
  EXPECT_EQ(BestStep(), 10);
}

TEST_F(BestCheckpointTest, AnEqualMetricIsNotBetter) {
  Start();
  Evaluate(10, 0.5);
  Evaluate(20, 0.5);
  EXPECT_EQ(BestStep(), 10);
}

TEST_F(BestCheckpointTest, ARestartDoesNotForgetTheBest) {
  Start();
  Evaluate(10, 0.75);
  Start();
  Evaluate(20, 0.5);
  EXPECT_EQ(BestStep(), 10);
  Evaluate(30, 1.0);
  EXPECT_EQ(BestStep(), 30);
}

TEST_F(BestCheckpointTest, NotANumberIsNeverTheBest) {
  Start();
  Evaluate(10, std::nan(""));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "best/info.json"));
  Evaluate(20, 0.5);
  Evaluate(30, std::nan(""));
  EXPECT_EQ(BestStep(), 20);
}

TEST_F(BestCheckpointTest, ACrashBeforeTheEndOfAnExportIsMadeGood) {
  Start();
  Evaluate(10, 0.5);
  const std::string before = *ReadWholeFile(folder_ / "best/checkpoint");
  Evaluate(20, 0.75);
  // What a crash leaves just before the file `checkpoint` is replaced.
  ASSERT_TRUE(WriteTensors({{"global_step", tensorflow::Tensor(int64_t{10})}},
                           folder_ / "best/best_ckpt-10")
                  .ok());
  folder_.Write("best/checkpoint", before);
  Start();
  EXPECT_EQ(BestStep(), 20);
}

TEST_F(BestCheckpointTest, ANestedMetricIsFound) {
  Start("higher", "species|recall");
  step_ = 5;
  ASSERT_TRUE(look_({{"species/recall", 0.5}}).ok());
  EXPECT_EQ(BestStep(), 5);
}

TEST_F(BestCheckpointTest, AMetricThatIsNotMeasuredIsRefused) {
  Start("higher", "acuracy");
  const absl::Status looked = look_({{"accuracy", 0.5}});
  EXPECT_EQ(looked.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(looked.message()),
              HasSubstr("did you mean 'accuracy'?"));
}

TEST_F(BestCheckpointTest, WrongOptionsAreRefused) {
  BestCheckpoint best;
  best.metric = "accuracy";
  best.comparison = "max";
  EXPECT_EQ(MakeBestCheckpointExport(best).status().code(),
            absl::StatusCode::kInvalidArgument);
  best.comparison = "lower";
  best.metric = "";
  EXPECT_EQ(MakeBestCheckpointExport(best).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(BestCheckpointTest, ADamagedInfoIsDataLoss) {
  for (const std::string text : {"", "[]", "{}", "{\"a\": 1", "null"}) {
    folder_.Write("best/info.json", text);
    BestCheckpoint best;
    best.folder = folder_ / "best";
    best.metric = "accuracy";
    EXPECT_EQ(MakeBestCheckpointExport(best).status().code(),
              absl::StatusCode::kDataLoss)
        << text;
  }
}

}  // namespace
}  // namespace rekindle

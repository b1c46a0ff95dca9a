#include <filesystem>

#include "component/io/string_tensor.h"
#include "component/io/tensor_bundle.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/checkpoint_manager.h"
#include "tests/component/training/training_data.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

class CheckpointTest : public ::testing::Test {
 protected:
  absl::Status Save(int64_t step) {
    return Manager().Save(step, {{"global_step", Tensor(step)}});
  }

  // The step inside the latest checkpoint; -1 when there is none.
  int64_t LatestStep() const {
    const auto prefix = Manager().Latest();
    EXPECT_TRUE(prefix.ok()) << prefix.status();
    if (!prefix->has_value()) return -1;
    const auto tensors = ReadTensors(**prefix);
    EXPECT_TRUE(tensors.ok()) << tensors.status();
    return tensors->at("global_step").scalar<int64_t>()();
  }

  CheckpointManager Manager() const {
    return CheckpointManager(folder_ / "run", /*max_to_keep=*/2);
  }

  TempDir folder_;
};

TEST_F(CheckpointTest, AFolderWithoutCheckpointsHasNoLatest) {
  EXPECT_EQ(LatestStep(), -1);
}

TEST_F(CheckpointTest, TheLatestIsTheLastSaved) {
  ASSERT_TRUE(Save(5).ok());
  ASSERT_TRUE(Save(10).ok());
  EXPECT_EQ(LatestStep(), 10);
  ASSERT_TRUE(Save(10).ok());
  EXPECT_EQ(LatestStep(), 10);
}

TEST_F(CheckpointTest, OnlyTheNewestAreKept) {
  for (const int64_t step : {1, 2, 3}) ASSERT_TRUE(Save(step).ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/ckpt-1.index"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/ckpt-2.index"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/ckpt-3.index"));
}

TEST_F(CheckpointTest, AHalfWrittenCheckpointIsNotTheLatest) {
  ASSERT_TRUE(Save(1).ok());
  WriteText(folder_ / "run/ckpt-2.data-00000-of-00001", "half");
  EXPECT_EQ(LatestStep(), 1);
}

TEST_F(CheckpointTest, DamageIsDataLoss) {
  ASSERT_TRUE(Save(1).ok());
  WriteText(folder_ / "run/ckpt-1.index", "not an index");
  EXPECT_EQ(ReadTensors(folder_ / "run/ckpt-1").status().code(),
            absl::StatusCode::kDataLoss);
  WriteText(folder_ / "run/checkpoint", "nothing");
  EXPECT_EQ(Manager().Latest().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(CheckpointTest, AFolderStandsForItsLatestCheckpoint) {
  ASSERT_TRUE(Save(5).ok());
  ASSERT_TRUE(Save(10).ok());
  EXPECT_EQ(*FindCheckpoint(folder_ / "run"), folder_ / "run/ckpt-10");
  EXPECT_EQ(*FindCheckpoint(folder_ / "run/ckpt-5"), folder_ / "run/ckpt-5");
}

TEST_F(CheckpointTest, ASavedModelStandsForItsVariables) {
  std::filesystem::create_directories(folder_ / "model/variables");
  const std::string prefix = folder_ / "model/variables/variables";
  ASSERT_TRUE(WriteTensors({{"v", Tensor(1.0f)}}, prefix).ok());
  EXPECT_EQ(*FindCheckpoint(folder_ / "model"), prefix);
}

TEST_F(CheckpointTest, WhereThereIsNoCheckpointNoneIsFound) {
  const auto nowhere = FindCheckpoint(folder_ / "nowhere");
  EXPECT_EQ(nowhere.status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(Save(5).ok());
  std::filesystem::remove(folder_ / "run/ckpt-5.index");
  const auto gone = FindCheckpoint(folder_ / "run");
  EXPECT_EQ(gone.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(gone.status().message()),
              ::testing::HasSubstr("ckpt-5', which is not there"));
}

TEST_F(CheckpointTest, TensorsOfAllKindsSurvive) {
  const NamedTensors written = {{"s", StringTensor({"a", "", "\xff"})},
                                {"f", Tensor(1.5f)}};
  ASSERT_TRUE(WriteTensors(written, folder_ / "t").ok());
  const auto read = ReadTensors(folder_ / "t");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at("s").flat<tensorflow::tstring>()(2), "\xff");
  EXPECT_EQ(read->at("f").scalar<float>()(), 1.5f);
}

}  // namespace
}  // namespace rekindle

#include "component/training/model_probe.h"

#include <limits>
#include <string>

#include "component/features/schema_features.h"
#include "component/tasks/tabular_model.h"
#include "component/training/model_export.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/component/training/training_data.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

class ModelProbeTest : public ::testing::Test {
 protected:
  ModelProbeTest() : input_(MakeTrainingInput(folder_.path(), "run")) {}

  // Exports an untrained model with this bias in its last layer.
  void Export(float bias) {
    const auto features = ReadSchemaFeatures(
        input_.schema_path, {.label_key = "species", .features = {}});
    ASSERT_TRUE(features.ok()) << features.status();
    const TabularModel model(features->spec, {.hidden_units = {4}});
    NamedTensors values = model.InitialValues(/*seed=*/1);
    values.at("logits/bias").flat<float>()(0) = bias;
    ASSERT_TRUE(ExportModel(model, values, input_.serving_model_dir).ok());
  }

  absl::Status Probe() const {
    return ProbeModel(input_.serving_model_dir, input_.eval_files.front());
  }

  TempDir folder_;
  const ExecutorInput input_;
};

TEST_F(ModelProbeTest, AModelThatAnswersNumbersIsFine) {
  Export(0.0F);
  EXPECT_TRUE(Probe().ok()) << Probe();
}

TEST_F(ModelProbeTest, AModelThatAnswersNanIsRefused) {
  Export(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(Probe().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Probe().message()), HasSubstr("finite"));
}

TEST_F(ModelProbeTest, NoModelIsNotFound) {
  EXPECT_EQ(Probe().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rekindle

// Names, types and layouts that TFX's tools look for (TFX 1.21).
#include "component/launch/tfx_names.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::ArtifactType;
using ::testing::HasSubstr;

constexpr char kSpan[] = "properties { key: 'span' value: INT } ";
constexpr char kVersion[] = "properties { key: 'version' value: INT } ";
constexpr char kSplitNames[] =
    "properties { key: 'split_names' value: STRING } ";

struct TypeCase {
  std::string name;
  std::string rest;  // of the type, as text
};

class StandardTypeTest : public ::testing::TestWithParam<TypeCase> {};

TEST_P(StandardTypeTest, DeclaresTheSamePropertiesAndBaseType) {
  const auto type = StandardArtifactType(GetParam().name);
  ASSERT_TRUE(type.has_value());
  const auto expected =
      Parse<ArtifactType>("name: '" + GetParam().name + "' " + GetParam().rest);
  EXPECT_EQ(type->DebugString(), expected.DebugString());
}

INSTANTIATE_TEST_SUITE_P(
    Tfx, StandardTypeTest,
    ::testing::ValuesIn(std::vector<TypeCase>{
        {"Examples",
         std::string(kSpan) + kVersion + kSplitNames + "base_type: DATASET"},
        {"ExampleStatistics",
         std::string(kSpan) + kSplitNames + "base_type: STATISTICS"},
        {"ExampleAnomalies", std::string(kSpan) + kSplitNames},
        {"ExampleValidationMetrics", std::string(kSpan) + kSplitNames},
        {"Model", "base_type: MODEL"},
        {"PushedModel", "base_type: MODEL"},
        {"ModelRun", ""},
        {"Schema", ""},
        {"TransformGraph", ""},
        {"TransformCache", ""},
        {"HyperParameters", ""},
        {"TunerResults", ""},
        {"ModelBlessing", ""},
        {"InfraBlessing", ""},
        {"ModelEvaluation", ""},
        {"ExamplesDiff", ""},
        {"InferenceResult", ""},
        {"DataView", ""},
        {"Config", ""},
        {"String", ""},
        {"Integer", ""},
        {"Float", ""},
        {"Boolean", ""},
        {"Bytes", ""},
        {"JsonValue", ""}}),
    [](const auto& test) { return test.param.name; });

TEST(TfxNamesTest, AnotherTypeIsNotOneOfTfx) {
  EXPECT_FALSE(StandardArtifactType("Metrics").has_value());
  EXPECT_EQ(StandardArtifactTypeNames().size(), 25);
}

TEST(TfxNamesTest, ExecutionTypesAreNamedByTheirClasses) {
  EXPECT_EQ(TrainerType().name(), "tfx.components.trainer.component.Trainer");
  EXPECT_EQ(TrainerType().base_type(), ml_metadata::ExecutionType::TRAIN);
  EXPECT_EQ(ImporterType().name(),
            "tfx.dsl.components.common.importer.Importer");
  EXPECT_TRUE(TrainerType().properties().empty());
}

TEST(TfxNamesTest, AValueArtifactIsAFileNamedValue) {
  EXPECT_EQ(ContentSuffix(*StandardArtifactType("String")), "/value");
  EXPECT_EQ(ContentSuffix(*StandardArtifactType("JsonValue")), "/value");
  EXPECT_EQ(ContentSuffix(ModelType()), "");
}

Artifact At(const std::string& uri, const std::string& tfx_version) {
  Artifact artifact;
  artifact.set_uri(uri);
  artifact.set_state(Artifact::LIVE);
  if (!tfx_version.empty()) {
    (*artifact.mutable_custom_properties())["tfx_version"].set_string_value(
        tfx_version);
  }
  return artifact;
}

TEST(TfxLayoutTest, SplitsHaveAPrefixSinceVersion029) {
  EXPECT_EQ(SplitDir(At("/e", "1.21.0"), "train"), "/e/Split-train");
  EXPECT_EQ(SplitDir(At("/e", "0.29.0.dev"), "train"), "/e/Split-train");
  EXPECT_EQ(SplitDir(At("/e", "0.28.0"), "train"), "/e/train");
}

TEST(TfxLayoutTest, ExamplesWithoutAVersionAreOld) {
  EXPECT_EQ(SplitDir(At("/e", ""), "train"), "/e/train");
}

TEST(TfxLayoutTest, ExamplesThatAreNotStoredYetAreNew) {
  Artifact examples = At("/e", "");
  examples.set_state(Artifact::UNKNOWN);
  EXPECT_EQ(SplitDir(examples, "train"), "/e/Split-train");
}

TEST(TfxLayoutTest, AModelIsInFormatServingSinceVersion029) {
  EXPECT_EQ(*ServingModelDir(At("/m", "1.21.0")), "/m/Format-Serving");
  EXPECT_EQ(*ServingModelDir(At("/m", "0.28.0")), "/m/serving_model_dir");
}

TEST(TfxLayoutTest, AModelWithoutAVersionIsOld) {
  EXPECT_EQ(*ServingModelDir(At("/m", "")), "/m/serving_model_dir");
}

TEST(TfxLayoutTest, AnEstimatorsModelIsTwoFoldersBelowExport) {
  TempDir dir;
  dir.Write("serving_model_dir/export/chicago/1600000000/saved_model.pb", "");
  EXPECT_EQ(*ServingModelDir(At(dir.path(), "")),
            dir / "serving_model_dir/export/chicago/1600000000");
}

TEST(TfxLayoutTest, TwoExportsOfAnEstimatorAreRefused) {
  TempDir dir;
  dir.Write("serving_model_dir/export/a/1/saved_model.pb", "");
  dir.Write("serving_model_dir/export/b/1/saved_model.pb", "");
  EXPECT_THAT(ServingModelDir(At(dir.path(), "")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("holds 2 folders")));
}

}  // namespace
}  // namespace rekindle

#include "component/steps/splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kExamples[] = R"pb(
  id: 3
  uri: "/data/1"
  state: LIVE
  properties {
    key: "split_names"
    value { string_value: "[\"train\", \"eval\"]" }
  }
  custom_properties {
    key: "tfx_version"
    value { string_value: "1.21.0" }
  }
)pb";

TEST(SplitsTest, PatternsAreThoseOfFnArgs) {
  RK_ASSERT_OK_AND_ASSIGN(
      const auto patterns,
      SplitPatterns({Parse<ml_metadata::Artifact>(kExamples)},
                    {"train", "eval"}));
  EXPECT_THAT(patterns,
              ElementsAre("/data/1/Split-train/*", "/data/1/Split-eval/*"));
}

TEST(SplitsTest, AnArtifactWithoutTfxVersionHasTheOldLayout) {
  auto examples = Parse<ml_metadata::Artifact>(kExamples);
  examples.clear_custom_properties();
  EXPECT_THAT(*SplitPatterns({examples}, {"train"}),
              ElementsAre("/data/1/train/*"));
}

TEST(SplitsTest, EachSplitHasAPatternForEveryArtifact) {
  const auto first = Parse<ml_metadata::Artifact>(kExamples);
  auto second = first;
  second.set_uri("/data/2");
  EXPECT_THAT(*SplitPatterns({first, second}, {"train", "eval"}),
              ElementsAre("/data/1/Split-train/*", "/data/2/Split-train/*",
                          "/data/1/Split-eval/*", "/data/2/Split-eval/*"));
}

TEST(SplitsTest, ASplitMustBeInEveryArtifact) {
  const auto first = Parse<ml_metadata::Artifact>(kExamples);
  auto second = first;
  second.set_id(4);
  (*second.mutable_properties())["split_names"].set_string_value("[\"train\"]");
  EXPECT_THAT(SplitPatterns({first, second}, {"train"}), IsOk());
  EXPECT_THAT(SplitPatterns({first, second}, {"eval"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "artifact 4 has no split 'eval'; it has: train"));
}

TEST(SplitsTest, NamesOfSplitsAreThoseThatTfxAllows) {
  auto examples = Parse<ml_metadata::Artifact>(kExamples);
  auto& names = (*examples.mutable_properties())["split_names"];
  names.set_string_value(R"(["train", "2024-01_a", ""])");
  EXPECT_THAT(*SplitNames(examples), ElementsAre("train", "2024-01_a", ""));
  names.set_string_value(R"(["../secrets"])");
  EXPECT_THAT(SplitNames(examples),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("'../secrets'")));
}

TEST(SplitsTest, AMissingSplitIsNamedWithWhatThereIs) {
  EXPECT_THAT(
      SplitPatterns({Parse<ml_metadata::Artifact>(kExamples)}, {"test"}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "artifact 3 has no split 'test'; it has: train, eval"));
}

TEST(SplitsTest, SplitNamesMustBeAJsonList) {
  auto examples = Parse<ml_metadata::Artifact>(kExamples);
  (*examples.mutable_properties())["split_names"].set_string_value("train");
  EXPECT_THAT(SplitNames(examples),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("split_names")));
}

TEST(SplitsTest, ListsFilesSortedWithoutHiddenOnes) {
  TempDir dir;
  const std::string b = dir.Write("b", "");
  const std::string a = dir.Write("a", "");
  dir.Write(".hidden", "");
  dir.Write("folder/c", "");
  EXPECT_THAT(*ListFiles(dir.path()), ElementsAre(a, b));
  EXPECT_THAT(ListFiles(dir / "none"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace rekindle

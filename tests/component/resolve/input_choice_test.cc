#include "component/resolve/input_choice.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/candidate.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::Key;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

ml_metadata::Artifact WithId(int64_t id) {
  ml_metadata::Artifact artifact;
  artifact.set_id(id);
  return artifact;
}

InputChoice Choose(const Resolution& resolution) {
  return RecordChoice("Model", *ParseArtifactRef("latest"), resolution);
}

TEST(InputChoiceTest, ReadsBackAsItself) {
  Resolution resolution;
  resolution.PassOver(WithId(9), "its state is DELETED, not LIVE");
  resolution.Take(WithId(7), "digest matches");
  resolution.more_passed_over = 3;
  const InputChoice choice = Choose(resolution);
  EXPECT_EQ(choice.reference, "latest");
  EXPECT_THAT(choice.taken, ::testing::ElementsAre(7));
  RK_ASSERT_OK_AND_ASSIGN(const InputChoice read,
                          ParseInputChoice(ToJson(choice)));
  EXPECT_EQ(read, choice);
}

TEST(InputChoiceTest, ARefusalIsKept) {
  Resolution resolution;
  resolution.refusal = absl::NotFoundError("there is no artifact with id 5");
  RK_ASSERT_OK_AND_ASSIGN(const InputChoice read,
                          ParseInputChoice(ToJson(Choose(resolution))));
  EXPECT_EQ(read.refusal, "there is no artifact with id 5");
}

TEST(InputChoiceTest, ManyCandidatesWithLongReasonsStaySmall) {
  Resolution resolution;
  for (int id = 1; id <= 1'000; ++id) {
    resolution.PassOver(WithId(id), std::string(10'000, 'x'));
    resolution.Take(WithId(10'000 + id), "digest matches");
  }
  const InputChoice choice = Choose(resolution);
  EXPECT_THAT(choice.candidates, SizeIs(50));
  EXPECT_THAT(choice.taken, SizeIs(1'000));
  EXPECT_EQ(choice.more_candidates, 1'950);
  EXPECT_LT(ToJson(choice).size(), 40'000);
}

TEST(InputChoiceTest, BytesThatAreNotTextDoNotBreakTheRecord) {
  Resolution resolution;
  resolution.PassOver(WithId(1), "cannot read /data/\xff");
  EXPECT_THAT(ParseInputChoice(ToJson(Choose(resolution))), IsOk());
}

TEST(InputChoiceTest, WhatOthersWroteIsLeftOut) {
  ml_metadata::Execution execution;
  auto& properties = *execution.mutable_custom_properties();
  properties[InputChoiceProperty("model")] = StringValue(ToJson(Choose({})));
  properties[InputChoiceProperty("broken")] = StringValue("{}");
  properties[InputChoiceProperty("number")] = IntValue(7);
  properties["attempts"] = StringValue("[]");
  EXPECT_THAT(InputChoicesOf(execution), UnorderedElementsAre(Key("model")));
}

}  // namespace
}  // namespace rekindle

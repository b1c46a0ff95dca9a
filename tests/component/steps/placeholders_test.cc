#include "component/steps/placeholders.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/launch/failure.h"
#include "metadata/api/values.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

PlaceholderNames Names() { return {{"data"}, {"report"}, {"alpha"}}; }

PlaceholderValues Values() {
  auto first = Parse<ml_metadata::Artifact>("id: 7 uri: '/data/7'");
  (*first.mutable_custom_properties())["rows"] = IntValue(12);
  (*first.mutable_custom_properties())["num.train"] = DoubleValue(0.1);
  (*first.mutable_properties())["span"] = IntValue(3);
  const auto second = Parse<ml_metadata::Artifact>("id: 8 uri: '/data/8'");
  return {{{"data", {first, second}}},
          {{"report", "/staging/report"}},
          {{"alpha", "0.50"}},
          {{"run_id", "r1"}, {"state_dir", "/state"}}};
}

std::string Filled(const std::string& text) {
  EXPECT_THAT(CheckPlaceholders(text, Names()), IsOk());
  const auto filled = FillPlaceholders(text, Values());
  EXPECT_THAT(filled, IsOk());
  return filled.ok() ? *filled : "";
}

TEST(PlaceholdersTest, StandForPlacesOfInputsAndOutputs) {
  EXPECT_EQ(Filled("{{inputs.data.uri}}/* > {{outputs.report.uri}}/x"),
            "/data/7/* > /staging/report/x");
  EXPECT_EQ(Filled("{{inputs.data.uris}}"), "/data/7,/data/8");
  EXPECT_EQ(Filled("{{inputs.data.uris.1}} {{inputs.data.id}}"), "/data/8 7");
}

TEST(PlaceholdersTest, StandForProperties) {
  EXPECT_EQ(Filled("{{inputs.data.properties.rows}}"), "12");
  EXPECT_EQ(Filled("{{inputs.data.properties.span}}"), "3");
  EXPECT_EQ(Filled("{{inputs.data.properties.num.train}}"), "0.1");
}

TEST(PlaceholdersTest, AParameterIsAsItWasGiven) {
  EXPECT_EQ(Filled("--a={{parameters.alpha}}"), "--a=0.50");
}

TEST(PlaceholdersTest, BothSpellingsAndSpacesInside) {
  EXPECT_EQ(Filled("{{ run_id }}-%{run_id}-%{ state_dir }"), "r1-r1-/state");
}

TEST(PlaceholdersTest, OtherBracesAreText) {
  EXPECT_EQ(Filled("awk '{ print $1 }' ${HOME} {x} 100%"),
            "awk '{ print $1 }' ${HOME} {x} 100%");
}

TEST(PlaceholdersTest, WhatIsFilledInIsNotReadAgain) {
  PlaceholderValues values = Values();
  values.parameters["alpha"] = "{{run_id}}";
  EXPECT_EQ(*FillPlaceholders("{{parameters.alpha}}", values), "{{run_id}}");
}

TEST(PlaceholdersTest, AnUnknownOneGetsTheNearestName) {
  EXPECT_THAT(CheckPlaceholders("{{input.data.uri}}", Names()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("did you mean {{inputs.data.uri}}?")));
  EXPECT_THAT(CheckPlaceholders("{{inputs.dta.uri}}", Names()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("did you mean {{inputs.data.uri}}?")));
  EXPECT_THAT(
      CheckPlaceholders("{{x}}", Names()),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("known are: ")));
  EXPECT_FALSE(CheckPlaceholders("{{inputs.data.uris.x}}", Names()).ok());
  EXPECT_FALSE(CheckPlaceholders("{{inputs.data.properties.}}", Names()).ok());
}

TEST(PlaceholdersTest, OneWithoutAnEndIsRefused) {
  EXPECT_THAT(
      CheckPlaceholders("a {{run_id", Names()),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no '}}'")));
}

TEST(PlaceholdersTest, WhatTheInputDoesNotHaveIsNamed) {
  const auto property =
      FillPlaceholders("{{inputs.data.properties.cols}}", Values());
  EXPECT_THAT(property, StatusIs(absl::StatusCode::kFailedPrecondition,
                                 AllOf(HasSubstr("no property 'cols'"),
                                       HasSubstr("num.train, rows, span"))));
  EXPECT_EQ(ReasonOf(property.status()), FailureReason::kInputUnusable);
  EXPECT_THAT(FillPlaceholders("{{inputs.data.uris.2}}", Values()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("no artifact 2, only 2")));
}

}  // namespace
}  // namespace rekindle

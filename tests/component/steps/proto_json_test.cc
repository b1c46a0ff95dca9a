#include "component/steps/proto_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/steps/train.h"
#include "nlohmann/json.hpp"
#include "tests/support/status_matchers.h"
#include "tfx/trainer.pb.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

TEST(ProtoJsonTest, PrintsAsTfxStoresIt) {
  tfx::components::trainer::TrainArgs args;
  args.set_num_steps(100);
  EXPECT_EQ(ToIndentedJson(args), "{\n  \"num_steps\": 100\n}");
}

TEST(ProtoJsonTest, ReadsBothSpellingsOfAName) {
  EXPECT_EQ(ParseTrainArgs(R"({"num_steps": 5})")->num_steps(), 5);
  EXPECT_EQ(ParseTrainArgs(R"({"numSteps": 5})")->num_steps(), 5);
}

TEST(ProtoJsonTest, AnUnknownFieldIsNamed) {
  EXPECT_THAT(
      ParseEvalArgs(R"({"steps": 5})"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               ::testing::AllOf(HasSubstr("--eval-args"), HasSubstr("steps"))));
}

TEST(ProtoJsonTest, NegativeStepsAreRefused) {
  EXPECT_THAT(ParseTrainArgs(R"({"num_steps": -1})"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("num_steps is -1")));
}

TEST(ProtoJsonTest, ValuesLookLikePythons) {
  EXPECT_EQ(ToPythonJson({"train", "e\"v"}), R"(["train", "e\"v"])");
  EXPECT_EQ(ToPythonJson({{"n", 3}, {"my_key", {0.5, nullptr, true}}}),
            R"({"my_key": [0.5, null, true], "n": 3})");
  EXPECT_EQ(ToPythonJson({{"ö", nlohmann::json::object()}}),
            R"({"\u00f6": {}})");
  EXPECT_EQ(ToPythonJson(nullptr), "null");
}

}  // namespace
}  // namespace rekindle

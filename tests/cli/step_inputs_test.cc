#include "cli/step_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(StepInputsTest, AnInputHasAKeyATypeAndAReference) {
  RK_ASSERT_OK_AND_ASSIGN(const InputSpec input,
                          ParseInputFlag("base=Model:uri:/m=1:2"));
  EXPECT_EQ(input.key, "base");
  EXPECT_EQ(input.type_name, "Model");
  EXPECT_EQ(input.ref.ToString(), "uri:/m=1:2");
  EXPECT_TRUE(input.required);
}

TEST(StepInputsTest, ExtraInputsAreAddedToAStepsOwn) {
  StepSpec spec;
  spec.inputs = {{"base_model", "Model", {}}};
  EXPECT_THAT(AddExtraInputs({"slices=Config:latest"}, spec), IsOk());
  ASSERT_THAT(spec.inputs, SizeIs(2));
  EXPECT_EQ(spec.inputs[1].key, "slices");
  EXPECT_TRUE(spec.inputs[1].typed_by_user);
}

TEST(StepInputsTest, AnInputIsNotGivenTwice) {
  StepSpec spec;
  spec.inputs = {{"base_model", "Model", {}}};
  EXPECT_THAT(AddExtraInputs({"base_model=Model:latest"}, spec),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--base-model=REF")));
}

TEST(StepInputsTest, AnOutputOfTfxsTypeHasItsProperties) {
  RK_ASSERT_OK_AND_ASSIGN(const OutputSpec output,
                          ParseOutputFlag("data=Examples"));
  EXPECT_EQ(output.type.properties_size(), 3);
  EXPECT_EQ(output.type.base_type(), ml_metadata::ArtifactType::DATASET);
}

TEST(StepInputsTest, AnOutputMayHaveATypeOfTheUsers) {
  RK_ASSERT_OK_AND_ASSIGN(const OutputSpec output,
                          ParseOutputFlag("report=Metrics"));
  EXPECT_EQ(output.type.name(), "Metrics");
  EXPECT_EQ(output.type.properties_size(), 0);
}

TEST(StepInputsTest, MistakesAreNamed) {
  EXPECT_THAT(
      ParseInputFlag("data"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("KEY=TYPE:REF")));
  EXPECT_THAT(ParseInputFlag("data=Examples:newest"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--input data: ")));
  EXPECT_THAT(ParseOutputFlag("a.b=X"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'a.b' cannot be a name")));
  EXPECT_THAT(ParseOutputFlag("m=MODEL"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("did you mean Model?")));
  EXPECT_THAT(
      ParseOutputFlag("m="),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has no name")));
}

TEST(StepInputsTest, NamedValuesMayHoldAnything) {
  EXPECT_THAT(*ParseNamedValues("parameter", {"b=x=y", "a="}),
              ElementsAre(Pair("a", ""), Pair("b", "x=y")));
  EXPECT_THAT(ParseNamedValues("parameter", {"a=1", "a=2"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--parameter: 'a' is given twice")));
}

}  // namespace
}  // namespace rekindle

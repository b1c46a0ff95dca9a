#include "component/steps/typed_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/launch/tfx_names.h"
#include "metadata/api/values.h"
#include "nlohmann/json.hpp"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

TEST(TypedValuesTest, LooksDecide) {
  EXPECT_EQ(ValueByLooks("3").int_value(), 3);
  EXPECT_EQ(ValueByLooks("-3").int_value(), -3);
  EXPECT_EQ(ValueByLooks("0.5").double_value(), 0.5);
  EXPECT_EQ(ValueByLooks("1e-3").double_value(), 1e-3);
  for (const char* text :
       {"", "abc", "nan", "inf", " 3", "3 ", "1,5", "-", "."}) {
    EXPECT_TRUE(ValueByLooks(text).has_string_value()) << text;
    EXPECT_EQ(ValueByLooks(text).string_value(), text);
  }
}

TEST(TypedValuesTest, BooleansOfJsonAreIntegers) {
  EXPECT_EQ(ValueFromJson(true).int_value(), 1);
  EXPECT_EQ(ValueFromJson(2).int_value(), 2);
  EXPECT_EQ(ValueFromJson(0.25).double_value(), 0.25);
  EXPECT_EQ(ValueFromJson("x").string_value(), "x");
}

TEST(TypedValuesTest, TextReadsBackAsTheSameValue) {
  for (const auto& value :
       {IntValue(7), DoubleValue(0.1 + 0.2), StringValue("a b")}) {
    EXPECT_EQ(ValueByLooks(ValueToText(value)).DebugString(),
              value.DebugString());
  }
}

TEST(TypedValuesTest, APropertyIsWhatItsTypeDeclares) {
  EXPECT_EQ(AsDeclared(ExamplesType(), "span", IntValue(3))->int_value(), 3);
  EXPECT_EQ(
      AsDeclared(ExamplesType(), "split_names", IntValue(3))->string_value(),
      "3");
  EXPECT_THAT(AsDeclared(ExamplesType(), "span", StringValue("x")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("is INT; 'x' is not")));
}

TEST(TypedValuesTest, APropertyThatIsNotDeclaredIsRefused) {
  EXPECT_THAT(AsDeclared(ExamplesType(), "spam", IntValue(3)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("did you mean 'span'?")));
  EXPECT_THAT(AsDeclared(ModelType(), "span", IntValue(3)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("it declares none")));
}

}  // namespace
}  // namespace rekindle

#include "operator/expression/condition.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle::argo {
namespace {

struct WhenCase {
  std::string when;
  bool runs;
};

class WhenTest : public ::testing::TestWithParam<WhenCase> {};

TEST_P(WhenTest, DecidesAsArgoDoes) {
  const absl::StatusOr<bool> result = EvaluateWhen(GetParam().when);
  ASSERT_TRUE(result.ok()) << GetParam().when << ": " << result.status();
  EXPECT_EQ(*result, GetParam().runs) << GetParam().when;
}

INSTANTIATE_TEST_SUITE_P(When, WhenTest,
                         ::testing::ValuesIn(std::vector<WhenCase>{
                             {"", true},
                             {"true", true},
                             {"heads == heads", true},
                             {"'heads' == heads", true},
                             {"heads == tails", false},
                             {"1 == 1.0", true},
                             {"'1' == 1", false},
                             {"0x10 == 16", true},
                             {"3 > 2 && 2 > 1", true},
                             {"a < b", true},
                             {"10 < 9", false},
                             {"'10' < '9'", true},
                             {"!(a == b)", true},
                             {"a in (a, b)", true},
                             {"c in (a, b)", false},
                             {"penguin =~ '^pen'", true},
                             {"penguin !~ '^pen'", false},
                             {"1 + 2 * 3 == 7", true},
                             {"2 ** 3 == 8", true},
                             {"true ? false : true", false},
                             {"false || true && false", false},
                             {"[any text] == 'any text'", true},
                             {"false && 1", false},
                             {"'2024-01-02' > '2024-01-01'", true},
                             {"a_b == a_b", true},
                         }));

class BadWhenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(BadWhenTest, IsRefused) {
  EXPECT_EQ(EvaluateWhen(GetParam()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(
    Bad, BadWhenTest,
    ::testing::Values("heads", "1", "a b == c", "a == ", "1 < a", "(a == b",
                      "a == b)", "file.txt == x", "a-b == x", "1 ==! 2",
                      "'open == a", "a in (a)", "1 && true", "x =~ '('"));

}  // namespace
}  // namespace rekindle::argo

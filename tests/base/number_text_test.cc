#include "base/number_text.h"

#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace rekindle {
namespace {

TEST(NumberTextTest, HasAsManyDigitsAsTheDoubleNeeds) {
  EXPECT_EQ(ShortestDecimal(0.1), "0.1");
  EXPECT_EQ(ShortestDecimal(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(ShortestDecimal(3), "3");
  EXPECT_EQ(ShortestDecimal(1e-7), "1e-07");
}

TEST(NumberTextTest, ReadsBackAsTheSameDouble) {
  for (const double value :
       {1.0 / 3, -2.0 / 3e100, std::numeric_limits<double>::denorm_min(),
        std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::strtod(ShortestDecimal(value).c_str(), nullptr), value);
  }
}

TEST(NumberTextTest, NamesWhatIsNoNumber) {
  EXPECT_EQ(ShortestDecimal(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(ShortestDecimal(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace rekindle

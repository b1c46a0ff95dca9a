#include "base/nearest_name.h"

#include <optional>

#include <gtest/gtest.h>

namespace rekindle {
namespace {

TEST(NearestNameTest, FindsATypo) {
  EXPECT_EQ(NearestName("train-stesp", {"train-steps", "eval-steps"}),
            "train-steps");
}

TEST(NearestNameTest, SuggestsNothingFarAway) {
  EXPECT_EQ(NearestName("xyz", {"train-steps", "db"}), std::nullopt);
}

TEST(NearestNameTest, AnExactNameIsItsOwnNearest) {
  EXPECT_EQ(NearestName("db", {"db", "d"}), "db");
}

}  // namespace
}  // namespace rekindle

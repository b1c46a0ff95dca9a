#include "base/json_depth.h"

#include <string>

#include <gtest/gtest.h>

namespace rekindle {
namespace {

TEST(JsonDepthTest, ListsAndObjectsCount) {
  EXPECT_FALSE(JsonIsTooDeep(std::string(100, '[')));
  EXPECT_TRUE(JsonIsTooDeep(std::string(101, '[')));
  std::string objects;
  for (int i = 0; i < 101; ++i) objects += "{\"a\":";
  EXPECT_TRUE(JsonIsTooDeep(objects));
}

TEST(JsonDepthTest, WhatIsClosedOrQuotedDoesNot) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[{}],";
  EXPECT_FALSE(JsonIsTooDeep(many));
  EXPECT_FALSE(JsonIsTooDeep("\"\\\"" + std::string(1000, '[') + "\""));
  EXPECT_TRUE(JsonIsTooDeep("\"\\\\\"" + std::string(1000, '[')));
  EXPECT_FALSE(JsonIsTooDeep("]]]]\\"));
}

}  // namespace
}  // namespace rekindle

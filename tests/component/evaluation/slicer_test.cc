#include "component/evaluation/slicer.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/example/example.pb.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const SliceSpec kByIsland = {{"island"}, {}};
const SliceSpec kCrossed = {{"island"}, {{"year", "2008"}}};

// The slices of an example with these islands and, unless 0, this year.
std::vector<std::string> Slices(const std::vector<SliceSpec>& specs,
                                const std::vector<std::string>& islands,
                                int64_t year = 0) {
  tensorflow::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  for (const std::string& island : islands) {
    features["island"].mutable_bytes_list()->add_value(island);
  }
  if (year != 0) features["year"].mutable_int64_list()->add_value(year);
  ExampleFields fields(SliceFeatures(specs));
  EXPECT_TRUE(fields.Read(example.SerializeAsString()).ok());
  std::vector<std::string> texts;
  for (const SliceKey& key : SlicesOf(specs, fields)) {
    texts.push_back(SliceKeyText(key));
  }
  return texts;
}

TEST(SlicerTest, EveryExampleIsInTheSliceOfAll) {
  EXPECT_THAT(Slices({}, {"Dream"}), ElementsAre("all examples"));
}

TEST(SlicerTest, EachValueOfAFeatureIsASlice) {
  EXPECT_THAT(Slices({kByIsland}, {"Dream"}),
              ElementsAre("all examples", "island=Dream"));
  EXPECT_THAT(Slices({kByIsland}, {"Dream", "Biscoe", "Dream"}),
              ElementsAre("all examples", "island=Dream", "island=Biscoe"));
}

TEST(SlicerTest, AMissingFeatureIsInNone) {
  EXPECT_THAT(Slices({kByIsland, kCrossed}, {}, 2008),
              ElementsAre("all examples"));
}

TEST(SlicerTest, ValuesAreCrossedAndNumbersMeantAsNumbers) {
  EXPECT_THAT(Slices({kCrossed}, {"Dream", "Biscoe"}, 2008),
              UnorderedElementsAre("all examples", "island=Dream,year=2008",
                                   "island=Biscoe,year=2008"));
  EXPECT_THAT(Slices({kCrossed}, {"Dream"}, 2009), ElementsAre("all examples"));
}

TEST(SlicerTest, TheSameSliceTwiceIsOne) {
  const SliceSpec one = {{}, {{"island", "Dream"}}};
  EXPECT_THAT(Slices({kByIsland, one}, {"Dream"}),
              ElementsAre("all examples", "island=Dream"));
}

TEST(SlicerTest, NanIsNoSlice) {
  tensorflow::Example example;
  auto& list = *(*example.mutable_features()->mutable_feature())["mass"]
                    .mutable_float_list();
  list.add_value(std::nanf(""));
  list.add_value(0.5F);
  ExampleFields fields({"mass"});
  ASSERT_TRUE(fields.Read(example.SerializeAsString()).ok());
  const auto slices = SlicesOf({{{"mass"}, {}}}, fields);
  ASSERT_EQ(slices.size(), 2);
  EXPECT_EQ(SliceKeyText(slices[1]), "mass=0.5");
}

}  // namespace
}  // namespace rekindle

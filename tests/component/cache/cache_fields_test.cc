#include "component/cache/cache_fields.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "component/cache/cache.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(CacheFieldsTest, TheKeyChangesWithEveryNameAndValue) {
  const std::string key = CacheKeyOf({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(key.size(), 64);
  EXPECT_EQ(key, CacheKeyOf({{"b", "2"}, {"a", "1"}}));
  EXPECT_NE(key, CacheKeyOf({{"a", "1"}, {"b", "3"}}));
  EXPECT_NE(key, CacheKeyOf({{"a", "1"}, {"c", "2"}}));
  EXPECT_NE(key, CacheKeyOf({{"a", "1"}}));
}

TEST(CacheFieldsTest, FieldsThatReadTheSameSideBySideHaveDifferentKeys) {
  EXPECT_NE(CacheKeyOf({{"a", "1b2"}}), CacheKeyOf({{"a", "1"}, {"b", "2"}}));
  EXPECT_NE(CacheKeyOf({{"ab", "c"}}), CacheKeyOf({{"a", "bc"}}));
}

TEST(CacheFieldsTest, FieldsSurviveJson) {
  const CacheFields fields = {{"parameter.x", "{\n \"ö\": \"\\\"\"}"},
                              {"empty", ""}};
  EXPECT_EQ(FieldsFromJson(FieldsToJson(fields)), fields);
}

TEST(CacheFieldsTest, OtherTextIsNotTakenForFields) {
  for (const char* text : {"", "[]", "{", "{\"a\": 1}", "null"}) {
    EXPECT_EQ(FieldsFromJson(text), std::nullopt) << text;
  }
}

TEST(CacheFieldsTest, LongTextAndBytesBecomeDigests) {
  EXPECT_EQ(ShortOrDigest("{\n  \"num_steps\": 3\n}"),
            "{\n  \"num_steps\": 3\n}");
  EXPECT_THAT(ShortOrDigest(std::string(1000, 'x')), StartsWith("sha256:"));
  EXPECT_THAT(ShortOrDigest("\xff\xfe"), StartsWith("sha256:"));
  EXPECT_NE(ShortOrDigest("\xff"), ShortOrDigest("\xfe"));
}

TEST(CacheFieldsTest, DifferencesNameWhatChangedCameAndWent) {
  EXPECT_THAT(DifferencesOf({{"same", "1"}, {"changed", "1"}, {"gone", "1"}},
                            {{"same", "1"}, {"changed", "2"}, {"new", "1"}}),
              ElementsAre(FieldsAre("changed", "1", "2"),
                          FieldsAre("gone", "1", std::nullopt),
                          FieldsAre("new", std::nullopt, "1")));
  EXPECT_THAT(DifferencesOf({{"a", "1"}}, {{"a", "1"}}), IsEmpty());
}

TEST(CacheDecisionTest, SurvivesJson) {
  const CacheDecision decision = {CacheDecision::Kind::kMiss,
                                  {{7, "it was invalidated"}, {3, "gone"}}};
  const auto read = CacheDecision::FromJson(decision.ToJson());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->kind, CacheDecision::Kind::kMiss);
  EXPECT_THAT(read->rejected, ElementsAre(FieldsAre(7, "it was invalidated"),
                                          FieldsAre(3, "gone")));
}

TEST(CacheDecisionTest, OtherTextIsNotTakenForADecision) {
  for (const char* text : {"", "{}", "{\"decision\": 1}",
                           "{\"decision\": \"maybe\"}", "[\"hit\"]"}) {
    EXPECT_FALSE(CacheDecision::FromJson(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace rekindle

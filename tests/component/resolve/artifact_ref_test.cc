#include "component/resolve/artifact_ref.h"

#include <cstdint>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using Direction = ArtifactRef::Direction;
using ::testing::HasSubstr;

template <typename Form>
Form ParseAs(const std::string& text) {
  const auto ref = ParseArtifactRef(text);
  EXPECT_THAT(ref, IsOk()) << text;
  return std::get<Form>(ref->form);
}

TEST(ArtifactRefTest, EveryFormReadsBackAsItself) {
  for (const std::string text :
       {"none", "latest", "latest-blessed", "latest-created:3", "id:7",
        "id:9,7,8", "uri:/data/a:b", "run:Trainer.model", "run:my.node.model",
        "best:accuracy:max", "best:a:b:min", "span:3-7", "span:0-0", "spans:4",
        "spans:4:from=10"}) {
    RK_ASSERT_OK_AND_ASSIGN(const ArtifactRef ref, ParseArtifactRef(text));
    EXPECT_EQ(ref.ToString(), text);
    EXPECT_EQ(IsNone(ref), text == "none");
  }
}

// Any reference that can be built, for whoever adds a form.
class ReferenceGenerator {
 public:
  explicit ReferenceGenerator(uint32_t seed) : random_(seed) {}

  ArtifactRef Next() {
    switch (Number(0, 9)) {
      case 0:
        return {ArtifactRef::None{}};
      case 1:
        return {Ids()};
      case 2:
        return {ArtifactRef::Uri{Text(":/.,-=max\xc3\xa9 ")}};
      case 3:
        return {ArtifactRef::RunOutput{Text("ab.:_-"), Text("ab:_-")}};
      case 4:
        return {ArtifactRef::Latest{}};
      case 5:
        return {ArtifactRef::LatestBlessed{}};
      case 6:
        return {ArtifactRef::LatestCreated{Number(1, 1'000'000)}};
      case 7:
        return {ArtifactRef::Best{
            Text("loss:max:min_/"),
            Number(0, 1) == 0 ? Direction::kMax : Direction::kMin}};
      case 8: {
        const int64_t first = Number(0, 1'000);
        return {ArtifactRef::SpanRange{first, first + Number(0, 1'000)}};
      }
      default:
        return {ArtifactRef::NewestSpans{Number(1, 1'000), Number(0, 1'000)}};
    }
  }

 private:
  int64_t Number(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  std::string Text(const std::string& letters) {
    std::string text;
    for (int64_t length = Number(1, 12); length > 0; --length) {
      text += letters[Number(0, static_cast<int64_t>(letters.size()) - 1)];
    }
    return text;
  }
  ArtifactRef::Ids Ids() {
    ArtifactRef::Ids ref;
    int64_t id = 0;
    for (int64_t count = Number(1, 5); count > 0; --count) {
      ref.ids.push_back(id += Number(1, 1'000'000'000));
    }
    return ref;
  }

  std::mt19937 random_;
};

TEST(ArtifactRefTest, WhateverIsWrittenIsReadBack) {
  ReferenceGenerator generator(/*seed=*/5);
  for (int i = 0; i < 20'000; ++i) {
    const ArtifactRef ref = generator.Next();
    RK_ASSERT_OK_AND_ASSIGN(const ArtifactRef read,
                            ParseArtifactRef(ref.ToString()));
    ASSERT_EQ(read, ref) << ref.ToString() << " became " << read.ToString();
  }
}

TEST(ArtifactRefTest, ANodeIdMayHoldDots) {
  const auto ref = ParseAs<ArtifactRef::RunOutput>("run:a.b.key");
  EXPECT_EQ(ref.node_id, "a.b");
  EXPECT_EQ(ref.output_key, "key");
}

TEST(ArtifactRefTest, ASingleSpanIsARangeOfOne) {
  const auto ref = ParseAs<ArtifactRef::SpanRange>("span:5");
  EXPECT_EQ(ref.first, 5);
  EXPECT_EQ(ref.last, 5);
}

TEST(ArtifactRefTest, OtherTextIsRefusedWithTheForms) {
  for (const std::string text : {"",
                                 "7",
                                 "Latest",
                                 "id:",
                                 "id:x",
                                 "id:0",
                                 "id:-1",
                                 "id:+1",
                                 "id: 1",
                                 "id:1,",
                                 "id:,1",
                                 "id:7,7",
                                 "uri:",
                                 "run:",
                                 "run:x",
                                 "run:.key",
                                 "run:node.",
                                 "latest-created",
                                 "latest-created:0",
                                 "latest-created:x",
                                 "latest-blessed:1",
                                 "id:99999999999999999999",
                                 "best:",
                                 "best::max",
                                 "span:",
                                 "span:7-3",
                                 "span:-1-3",
                                 "span:3-",
                                 "span:a-b",
                                 "spans:0",
                                 "spans:",
                                 "spans:3:",
                                 "spans:3:from=",
                                 "spans:3:from=-1",
                                 "spans:3:skip=1"}) {
    EXPECT_THAT(
        ParseArtifactRef(text),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("run:NODE.KEY")))
        << text;
  }
}

TEST(ArtifactRefTest, AMetricsNameMayGiveItsDirection) {
  EXPECT_EQ(ParseAs<ArtifactRef::Best>("best:eval_loss").direction,
            Direction::kMin);
  EXPECT_EQ(ParseAs<ArtifactRef::Best>("best:mean-squared/Error").direction,
            Direction::kMin);
  EXPECT_EQ(ParseAs<ArtifactRef::Best>("best:accuracy").direction,
            Direction::kMax);
  EXPECT_EQ(ParseAs<ArtifactRef::Best>("best:loss:max").direction,
            Direction::kMax);
}

TEST(ArtifactRefTest, ADirectionThatNobodyCanTellMustBeGiven) {
  for (const std::string metric : {"score", "glossary", "loss_of_accuracy"}) {
    EXPECT_THAT(
        ParseArtifactRef("best:" + metric),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr(absl::StrCat("use best:", metric,
                                        ":max or best:", metric, ":min"))));
  }
}

}  // namespace
}  // namespace rekindle

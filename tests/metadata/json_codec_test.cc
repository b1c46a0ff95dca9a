#include "metadata/server/json_codec.h"

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/json_shape.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::HasSubstr;

absl::Status Parse(const std::string& text) {
  ml_metadata::GetArtifactsByURIRequest request;
  return ParseJson(text, &request);
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(JsonCodecTest, ANumberThatIsTooLargeIsRefused) {
  for (const char* text : {"[1e999]", R"({"uris": 1e999})", "1e999"}) {
    EXPECT_THAT(Parse(text), StatusIs(StatusCode::kInvalidArgument)) << text;
  }
  EXPECT_THAT(Parse("[1e999]"), StatusIs(StatusCode::kInvalidArgument,
                                         HasSubstr("number overflow")));
}

TEST(JsonCodecTest, HalfACharacterIsRefused) {
  for (const char* text :
       {R"({"uris": ["\ud800"]})", R"({"uris": ["\udc00"]})",
        R"({"uris": ["\ud800x"]})", R"({"uris": ["\ud800\ud800"]})"}) {
    EXPECT_THAT(Parse(text), StatusIs(StatusCode::kInvalidArgument)) << text;
  }
  EXPECT_THAT(Parse(R"({"uris": ["\ud83d\ude00"]})"), IsOk());
}

TEST(JsonCodecTest, APlaceIsNamed) {
  EXPECT_THAT(Parse("{\"uris\":\n[,]}"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("line 2")));
  EXPECT_THAT(Parse("[]"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("object")));
}

TEST(JsonShapeTest, DepthIsLimited) {
  EXPECT_THAT(CheckJsonShape(Repeated("[", kMaxJsonDepth)), IsOk());
  EXPECT_THAT(CheckJsonShape(Repeated("[", kMaxJsonDepth + 1)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("100 levels")));
  EXPECT_THAT(CheckJsonShape(Repeated("{\"a\":", kMaxJsonDepth + 1)),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(CheckJsonShape(Repeated("[]", kMaxJsonDepth + 1)), IsOk());
}

TEST(JsonShapeTest, ValuesAreLimited) {
  EXPECT_THAT(CheckJsonShape(Repeated("{},", kMaxJsonValues / 2)), IsOk());
  EXPECT_THAT(CheckJsonShape(Repeated("{},", kMaxJsonValues)),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("in parts")));
}

TEST(JsonShapeTest, WhatStandsInAStringDoesNotCount) {
  const std::string many = Repeated("[", 2 * kMaxJsonDepth);
  EXPECT_THAT(CheckJsonShape(absl::StrCat("\"", many, "\"")), IsOk());
  EXPECT_THAT(CheckJsonShape(absl::StrCat("\"\\\"", many, "\"")), IsOk());
  EXPECT_THAT(CheckJsonShape(absl::StrCat("\"\\\\\"", many, "\"")),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(CheckJsonShape("\"\\"), IsOk());
}

TEST(CallRunnerTest, ACallThatThrowsHasEnded) {
  CallRunner calls(absl::Minutes(1));
  EXPECT_THROW(
      (void)calls.Run("http", "M", absl::InfiniteFuture(),
                      []() -> absl::Status { throw std::runtime_error("oh"); }),
      std::runtime_error);
  EXPECT_THAT(calls.metrics().ToText(),
              HasSubstr("rekindle_requests_in_flight 0\n"));
}

}  // namespace
}  // namespace rekindle

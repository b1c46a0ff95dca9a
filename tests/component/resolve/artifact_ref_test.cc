#include "component/resolve/artifact_ref.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

TEST(ArtifactRefTest, EveryFormReadsBackAsItself) {
  for (const std::string text : {"none", "latest", "id:7", "uri:/data/a:b",
                                 "run:Trainer.model", "run:my.node.model"}) {
    RK_ASSERT_OK_AND_ASSIGN(const ArtifactRef ref, ParseArtifactRef(text));
    EXPECT_EQ(ref.ToString(), text);
  }
}

TEST(ArtifactRefTest, ANodeIdMayHoldDots) {
  EXPECT_EQ(ParseArtifactRef("run:a.b.key")->node_id, "a.b");
  EXPECT_EQ(ParseArtifactRef("run:a.b.key")->output_key, "key");
}

TEST(ArtifactRefTest, OtherTextIsRefusedWithTheForms) {
  for (const std::string text :
       {"", "7", "Latest", "id:", "id:x", "id:0", "id:-1",
        "uri:", "run:", "run:x", "run:.key", "run:node."}) {
    EXPECT_THAT(ParseArtifactRef(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         ::testing::HasSubstr("run:NODE.KEY")))
        << text;
  }
}

}  // namespace
}  // namespace rekindle

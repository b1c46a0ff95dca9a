#include "cli/metadata/filter_flags.h"

#include <string>

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;

TEST(FilterFlagsTest, AFilterAloneIsSentAsItIs) {
  const FilterFlags flags = {.filter = "id > 2 OR id = 1"};
  EXPECT_EQ(*flags.ToQuery(NodeKind::kArtifact), "id > 2 OR id = 1");
}

TEST(FilterFlagsTest, ShortFormsNarrowTheFilter) {
  const FilterFlags flags = {
      .filter = "id > 2 OR id = 1", .context = 7, .pipeline = "o'hare\\"};
  EXPECT_EQ(*flags.ToQuery(NodeKind::kExecution),
            "(id > 2 OR id = 1) AND contexts_rekindle_id.id = 7 AND "
            "contexts_rekindle_pipeline.type = 'pipeline' AND "
            "contexts_rekindle_pipeline.name = 'o\\'hare\\\\'");
}

TEST(FilterFlagsTest, OfContextsTheShortFormsChooseChildren) {
  const FilterFlags flags = {.run = "r1"};
  EXPECT_EQ(*flags.ToQuery(NodeKind::kContext),
            "parent_contexts_rekindle_pipeline_run.type = 'pipeline_run' AND "
            "parent_contexts_rekindle_pipeline_run.name = 'r1'");
}

TEST(FilterFlagsTest, ASyntaxErrorPointsAtTheCharacter) {
  const FilterFlags flags = {.filter = "name = 'é' AN id = 1"};
  EXPECT_THAT(flags.ToQuery(NodeKind::kArtifact),
              StatusIs(StatusCode::kInvalidArgument,
                       "--filter, character 13, at \"AN id = 1\": expected "
                       "AND, OR or the end\n"
                       "  name = 'é' AN id = 1\n"
                       "             ^"));
}

TEST(FilterFlagsTest, AFilterCannotCloseTheParenthesesAroundIt) {
  const FilterFlags flags = {.filter = "id = 1) OR (id = 2", .run = "r1"};
  EXPECT_THAT(flags.ToQuery(NodeKind::kArtifact),
              StatusIs(StatusCode::kInvalidArgument));
}

TEST(FilterFlagsTest, WhatTheStoreSaysIsPointedAtInTheUsersOwnText) {
  const FilterFlags flags = {.filter = "statee = 1", .run = "r1"};
  EXPECT_THAT(flags.Explain(absl::InvalidArgumentError(
                  "filter_query, character 2, at \"statee\": unknown")),
              StatusIs(StatusCode::kInvalidArgument,
                       "--filter, character 1, at \"statee\": unknown\n"
                       "  statee = 1\n"
                       "  ^"));
  EXPECT_THAT(flags.Explain(absl::AbortedError("locked")),
              StatusIs(StatusCode::kAborted, "locked"));
}

}  // namespace
}  // namespace rekindle

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "metadata/sqlite/database.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::rekindle::v1::Problem;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Property;

// What another program may do to the file, and what Verify says of it.
struct Damage {
  const char* name;
  const char* sql;
  Problem::Kind kind;
  int64_t id;
  const char* message;
};

// A store with artifact 1, execution 1 and context 1, each with a property, of
// types 10, 11 and 12, joined in every way.
class VerifyTest : public ::testing::TestWithParam<Damage> {
 protected:
  VerifyTest() : path_(dir_ / "metadata.db") {
    auto store = *OpenSqliteStore(path_, SystemClock());
    ml_metadata::PutTypesRequest types;
    types.add_artifact_types()->set_name("A");
    types.add_execution_types()->set_name("E");
    types.add_context_types()->set_name("C");
    EXPECT_THAT(store->metadata().PutTypes(types), IsOk());
    EXPECT_THAT(store->metadata().PutExecution(
                    Parse<ml_metadata::PutExecutionRequest>(R"(
            execution { type_id: 11 custom_properties {
                key: 'p' value { int_value: 1 } } }
            artifact_event_pairs {
              artifact { type_id: 10 uri: 'u' state: LIVE custom_properties {
                  key: 'p' value { int_value: 1 } } }
              event { type: OUTPUT path { steps { key: 'k' } } } }
            contexts { type_id: 12 name: 'c' custom_properties {
                key: 'p' value { int_value: 1 } } }
            contexts { type_id: 12 name: 'd' })")),
                IsOk());
    EXPECT_THAT(store->metadata().PutParentContexts(
                    Parse<ml_metadata::PutParentContextsRequest>(
                        "parent_contexts { child_id: 1 parent_id: 2 }")),
                IsOk());
  }

  absl::Status Run(const std::string& sql) {
    auto db = *Database::Open(path_, Database::Mode::kReadWrite);
    return db->Execute(sql);
  }

  v1::VerifyResponse Verify() {
    auto store = *OpenSqliteStore(path_, SystemClock(),
                                  {.mode = OpenOptions::Mode::kReadOnly});
    return *store->steps().Verify({});
  }

  TempDir dir_;
  const std::string path_;
};

TEST_F(VerifyTest, AHealthyStoreHasNoProblems) {
  EXPECT_THAT(Verify().problems(), IsEmpty());
}

TEST_P(VerifyTest, EachKindOfDamageIsFound) {
  ASSERT_THAT(Run(GetParam().sql), IsOk());
  EXPECT_THAT(Verify().problems(),
              Contains(::testing::AllOf(
                  Property(&Problem::kind, GetParam().kind),
                  Property(&Problem::id, GetParam().id),
                  Property(&Problem::message, HasSubstr(GetParam().message)))));
}

INSTANTIATE_TEST_SUITE_P(
    Damages, VerifyTest,
    ::testing::ValuesIn(std::vector<Damage>{
        {"TypeGone", "DELETE FROM Type WHERE id = 10", Problem::DANGLING, 1,
         "Artifact with id 1 has type_id 10"},
        {"TypeOfAnotherKind", "UPDATE Execution SET type_id = 10",
         Problem::DANGLING, 1, "Execution with id 1 has type_id 10"},
        {"ArtifactGone", "DELETE FROM Artifact", Problem::DANGLING, 1,
         "Event with id 1 has artifact_id 1"},
        {"ArtifactGoneFromContext", "DELETE FROM Artifact", Problem::DANGLING,
         1, "Attribution with id 1 has artifact_id 1"},
        {"PropertyOfNothing", "DELETE FROM Artifact", Problem::DANGLING, 1,
         "ArtifactProperty with artifact_id 1"},
        {"ExecutionGone", "DELETE FROM Execution", Problem::DANGLING, 1,
         "Association with id 1 has execution_id 1"},
        {"ContextGone", "DELETE FROM Context WHERE id = 2", Problem::DANGLING,
         1, "ParentContext with context_id 1 has parent_context_id 2"},
        {"EventGone", "DELETE FROM Event", Problem::DANGLING, 1,
         "EventPath with event_id 1"},
        {"LeaseOfNothing", "INSERT INTO rk_lease VALUES (77, 1, 1)",
         Problem::STALE_INDEX, 77, "rk_lease"},
        {"WorkOfNothing", "INSERT INTO rk_work VALUES ('k', 77, 1)",
         Problem::STALE_INDEX, 77, "rk_work"},
        {"LatestLacksOne", "DELETE FROM rk_latest WHERE context_id = 1",
         Problem::STALE_INDEX, 1, "rk_latest lacks artifact 1 of context 1"},
        {"LatestIsOutOfDate",
         "UPDATE rk_latest SET state = 5 WHERE context_id = 1",
         Problem::STALE_INDEX, 1, "rk_latest has artifact 1 of context 1"},
    }),
    [](const auto& damage) { return damage.param.name; });

TEST_F(VerifyTest, AStoreWithoutOurTablesHasNothingOfOursToBeWrong) {
  ASSERT_THAT(Run("DROP TABLE rk_lease; DROP TABLE rk_work; "
                  "DROP TABLE rk_latest;"),
              IsOk());
  EXPECT_THAT(Verify().problems(), IsEmpty());
}

TEST_F(VerifyTest, ADamagedFileIsReportedAndNothingElseIsGuessed) {
  ASSERT_THAT(Run("PRAGMA wal_checkpoint(TRUNCATE)"), IsOk());
  // An index that lost its entry: the file opens, and one query is wrong.
  ASSERT_THAT(Run("PRAGMA writable_schema = ON; "
                  "UPDATE sqlite_master SET sql = replace(sql, '`uri`)', "
                  "'`name`)') WHERE name = 'idx_artifact_uri';"),
              IsOk());
  const v1::VerifyResponse verdict = Verify();
  EXPECT_THAT(verdict.problems(), Not(IsEmpty()));
  EXPECT_THAT(verdict.problems(),
              Each(Property(&Problem::kind, Problem::DAMAGED)));
}

}  // namespace
}  // namespace rekindle

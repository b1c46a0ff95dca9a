// The table of the latest artifacts: always what it stands for, whoever writes,
// and listings that start from it find what others find.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sqlite3.h>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::ml_metadata::Artifact;
using OrderByField = ::ml_metadata::ListOperationOptions::OrderByField;

class LatestTest : public ::testing::Test {
 protected:
  LatestTest() : path_(folder_ / "latest.db") { Reopen(); }

  void Reopen() {
    store_.reset();
    store_ = OpenSqliteStore(path_, clock_).value();
  }

  void CloseAndDropTable() {
    store_.reset();
    Execute(
        "DROP TABLE rk_latest; DROP TRIGGER rk_latest_attributed; "
        "DROP TRIGGER rk_latest_unattributed; DROP TRIGGER rk_latest_changed; "
        "DROP TRIGGER rk_latest_deleted");
  }

  // Writes as any other program does.
  void Execute(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10'000);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  int64_t QueryInt(const std::string& sql) {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    int64_t answer = -1;
    EXPECT_EQ(sqlite3_exec(
                  db, sql.c_str(),
                  [](void* into, int, char** values, char**) {
                    *static_cast<int64_t*>(into) = std::stoll(values[0]);
                    return 0;
                  },
                  &answer, nullptr),
              SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(db);
    sqlite3_close(db);
    return answer;
  }

  void ExpectTableIsRight() {
    const std::string right =
        "SELECT t.context_id, a.type_id, ifnull(a.state, 0), "
        "a.create_time_since_epoch, a.id FROM Attribution t "
        "JOIN Artifact a ON a.id = t.artifact_id";
    EXPECT_EQ(QueryInt(absl::StrCat("SELECT count(*) FROM (SELECT * FROM "
                                    "rk_latest EXCEPT ",
                                    right, ")")),
              0);
    EXPECT_EQ(QueryInt(absl::StrCat("SELECT count(*) FROM (", right,
                                    " EXCEPT SELECT * FROM rk_latest)")),
              0);
  }

  int64_t Random(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }

  void PutTypesAndContexts() {
    ml_metadata::PutTypesRequest types;
    for (const char* name : {"Model", "Examples"}) {
      types.add_artifact_types()->set_name(name);
    }
    types.add_context_types()->set_name("pipeline");
    const auto ids = store_->metadata().PutTypes(types).value();
    type_ids_ = {ids.artifact_type_ids().begin(),
                 ids.artifact_type_ids().end()};
    ml_metadata::PutContextsRequest contexts;
    for (int i = 0; i < 3; ++i) {
      auto& context = *contexts.add_contexts();
      context.set_type_id(ids.context_type_ids(0));
      context.set_name(absl::StrCat("p", i));
    }
    const auto context_ids = store_->metadata().PutContexts(contexts).value();
    context_ids_ = {context_ids.context_ids().begin(),
                    context_ids.context_ids().end()};
  }

  Artifact RandomArtifact() {
    Artifact artifact;
    artifact.set_type_id(type_ids_[Random(0, 1)]);
    const int64_t state = Random(0, 3);
    if (state > 0) artifact.set_state(static_cast<Artifact::State>(state));
    return artifact;
  }

  // One thing that happens to a store.
  void Step() {
    auto& metadata = store_->metadata();
    clock_.Advance(absl::Milliseconds(Random(0, 1)));
    const int64_t artifact = Random(1, std::max<int64_t>(1, artifacts_));
    const int64_t context = context_ids_[Random(0, 2)];
    switch (Random(0, 9)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        ml_metadata::PutArtifactsRequest request;
        *request.add_artifacts() = RandomArtifact();
        EXPECT_THAT(metadata.PutArtifacts(request), IsOk());
        ++artifacts_;
        break;
      }
      case 4:
      case 5:
      case 6: {
        ml_metadata::PutAttributionsAndAssociationsRequest request;
        request.add_attributions()->set_context_id(context);
        request.mutable_attributions(0)->set_artifact_id(artifact);
        metadata.PutAttributionsAndAssociations(request).status().IgnoreError();
        break;
      }
      case 7:
        Execute(absl::StrCat("UPDATE Artifact SET state = nullif(",
                             Random(0, 3),
                             ", 0), type_id = ", type_ids_[Random(0, 1)],
                             " WHERE id = ", artifact));
        break;
      case 8:
        Execute(absl::StrCat("DELETE FROM Attribution WHERE artifact_id = ",
                             artifact, " AND context_id = ", context));
        break;
      default:
        if (Random(0, 1) == 0) {
          Execute(absl::StrCat(
              "DELETE FROM Artifact WHERE id = ", artifact,
              "; DELETE FROM Attribution WHERE artifact_id = ", artifact));
        } else {
          Execute(absl::StrCat(
              "DELETE FROM Attribution WHERE artifact_id = ", artifact,
              "; DELETE FROM Artifact WHERE id = ", artifact));
        }
        break;
    }
  }

  // Ids in the order of (create time, id), or of id, by looking at everything;
  // of all states without one.
  std::vector<int64_t> Expected(int64_t context, int64_t type_id,
                                std::optional<Artifact::State> state,
                                OrderByField::Field field, bool ascending) {
    ml_metadata::GetArtifactsByContextRequest request;
    request.set_context_id(context);
    const auto all = store_->metadata().GetArtifactsByContext(request).value();
    std::vector<std::pair<int64_t, int64_t>> found;
    for (const Artifact& artifact : all.artifacts()) {
      if (artifact.type_id() == type_id &&
          state.value_or(artifact.state()) == artifact.state()) {
        found.emplace_back(field == OrderByField::ID
                               ? artifact.id()
                               : artifact.create_time_since_epoch(),
                           artifact.id());
      }
    }
    std::sort(found.begin(), found.end());
    if (!ascending) std::reverse(found.begin(), found.end());
    std::vector<int64_t> ids;
    ids.reserve(found.size());
    for (const auto& [time, id] : found) ids.push_back(id);
    return ids;
  }

  // Ids as a listing finds them, page by page.
  template <typename Request, typename Call>
  std::vector<int64_t> Listed(Request request, const std::string& filter,
                              OrderByField::Field field, bool ascending,
                              Call call) {
    auto& options = *request.mutable_options();
    options.set_max_result_size(static_cast<int32_t>(Random(1, 4)));
    options.mutable_order_by_field()->set_field(field);
    options.mutable_order_by_field()->set_is_asc(ascending);
    options.set_filter_query(filter);
    std::vector<int64_t> ids;
    while (true) {
      const auto page = call(request);
      EXPECT_THAT(page, IsOk());
      if (!page.ok()) return ids;
      for (const Artifact& artifact : page->artifacts()) {
        ids.push_back(artifact.id());
      }
      if (page->next_page_token().empty()) return ids;
      options.set_next_page_token(page->next_page_token());
    }
  }

  void ExpectListingsAreRight() {
    const auto& metadata = store_->metadata();
    for (int round = 0; round < 6; ++round) {
      const int64_t pipeline = Random(0, 2);
      const int64_t context = context_ids_[pipeline];
      const int64_t kind = Random(0, 1);
      std::optional<Artifact::State> state;
      std::string filter =
          absl::StrCat("type = '", kind == 0 ? "Model" : "Examples", "'");
      if (Random(0, 1) == 0) {
        state = static_cast<Artifact::State>(Random(1, 3));
        absl::StrAppend(&filter, " AND state = ", Artifact::State_Name(*state));
      }
      const auto field =
          Random(0, 1) == 0 ? OrderByField::CREATE_TIME : OrderByField::ID;
      const bool ascending = Random(0, 1) == 0;
      const auto expected =
          Expected(context, type_ids_[kind], state, field, ascending);
      ml_metadata::GetArtifactsByContextRequest by_context;
      by_context.set_context_id(context);
      EXPECT_EQ(Listed(by_context, filter, field, ascending,
                       [&](const auto& request) {
                         return metadata.GetArtifactsByContext(request);
                       }),
                expected);
      for (const std::string& in_context :
           {absl::StrCat("contexts_a.id = ", context),
            absl::StrCat("contexts_a.type = 'pipeline' AND contexts_a.name = "
                         "'p",
                         pipeline, "'")}) {
        EXPECT_EQ(Listed(ml_metadata::GetArtifactsRequest(),
                         absl::StrCat("(", in_context, ") AND ", filter), field,
                         ascending,
                         [&](const auto& request) {
                           return metadata.GetArtifacts(request);
                         }),
                  expected);
      }
    }
  }

  TempDir folder_;
  std::string path_;
  FakeClock clock_{absl::FromUnixSeconds(1'000'000)};
  std::unique_ptr<Store> store_;
  std::mt19937_64 random_;
  std::vector<int64_t> type_ids_;
  std::vector<int64_t> context_ids_;
  int64_t artifacts_ = 0;
};

TEST_F(LatestTest, HoldsWhatIsAttributedWhoeverWrites) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  random_.seed(seed);
  PutTypesAndContexts();
  for (int round = 0; round < 20; ++round) {
    for (int step = 0; step < 15; ++step) Step();
    ExpectTableIsRight();
    ExpectListingsAreRight();
  }
}

TEST_F(LatestTest, IsFilledFromAStoreThatHasNone) {
  random_.seed(1);
  PutTypesAndContexts();
  for (int step = 0; step < 60; ++step) Step();
  CloseAndDropTable();
  Reopen();
  EXPECT_GT(QueryInt("SELECT count(*) FROM rk_latest"), 0);
  ExpectTableIsRight();
}

TEST_F(LatestTest, IsMadeAnewWhateverPartOfItWasDropped) {
  random_.seed(3);
  PutTypesAndContexts();
  for (int step = 0; step < 60; ++step) Step();
  store_.reset();
  Execute("DROP TABLE rk_latest");
  Reopen();
  ExpectTableIsRight();
  for (const char* trigger :
       {"attributed", "unattributed", "changed", "deleted"}) {
    store_.reset();
    Execute(absl::StrCat("DROP TRIGGER rk_latest_", trigger));
    // What another program then does, the table does not follow.
    Execute(
        "UPDATE Artifact SET state = 4 WHERE id % 3 = 0;"
        "INSERT OR IGNORE INTO Attribution (context_id, artifact_id) "
        "SELECT c.id, a.id FROM Context c, Artifact a WHERE a.id % 5 = 0;"
        "DELETE FROM Attribution WHERE id % 7 = 0;"
        "DELETE FROM Artifact WHERE id % 11 = 0;"
        "DELETE FROM Attribution WHERE artifact_id % 11 = 0");
    Reopen();
    ExpectTableIsRight();
  }
}

TEST_F(LatestTest, AReaderOfAStoreThatHasNoneFindsTheSame) {
  random_.seed(2);
  PutTypesAndContexts();
  for (int step = 0; step < 60; ++step) Step();
  CloseAndDropTable();
  store_ =
      OpenSqliteStore(path_, clock_, {.mode = OpenOptions::Mode::kReadOnly})
          .value();
  ExpectListingsAreRight();
}

TEST_F(LatestTest, AFilterThatOnlyResemblesIsNotNarrowed) {
  PutTypesAndContexts();
  ml_metadata::PutArtifactsRequest put;
  for (const auto state : {Artifact::LIVE, Artifact::DELETED}) {
    put.add_artifacts()->set_type_id(type_ids_[0]);
    put.mutable_artifacts(put.artifacts_size() - 1)->set_state(state);
  }
  const auto ids = store_->metadata().PutArtifacts(put).value().artifact_ids();
  ml_metadata::PutAttributionsAndAssociationsRequest members;
  for (const int64_t id : ids) {
    members.add_attributions()->set_context_id(context_ids_[0]);
    members.mutable_attributions(members.attributions_size() - 1)
        ->set_artifact_id(id);
  }
  ASSERT_THAT(store_->metadata().PutAttributionsAndAssociations(members),
              IsOk());
  ml_metadata::GetArtifactsByContextRequest request;
  request.set_context_id(context_ids_[0]);
  for (const char* filter :
       {"type = 'Model' OR state = LIVE", "NOT (type = 'X' AND state = LIVE)",
        "type = 'Model' AND (state = LIVE OR state = DELETED)"}) {
    EXPECT_EQ(Listed(request, filter, OrderByField::CREATE_TIME,
                     /*ascending=*/true,
                     [&](const auto& page) {
                       return store_->metadata().GetArtifactsByContext(page);
                     }),
              std::vector<int64_t>(ids.begin(), ids.end()))
        << filter;
  }
}

}  // namespace
}  // namespace rekindle

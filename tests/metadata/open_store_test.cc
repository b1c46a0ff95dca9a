#include "metadata/api/open_store.h"

#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/deadline.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Mode = OpenOptions::Mode;

class OpenStoreTest : public ::testing::Test {
 protected:
  OpenStoreTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "rk.XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / "metadata.db";
  }
  ~OpenStoreTest() override {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder_);
  }

  absl::StatusOr<std::unique_ptr<Store>> Open(Mode mode) {
    return OpenSqliteStore(path_, SystemClock(), {.mode = mode});
  }
  void Write(const std::string& bytes) { std::ofstream(path_) << bytes; }
  std::string Read() {
    std::stringstream bytes;
    bytes << std::ifstream(path_, std::ios::binary).rdbuf();
    return bytes.str();
  }
  void Execute(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(OpenStoreTest, CreatesAFileAndOpensItAgain) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  EXPECT_THAT(Open(Mode::kReadWrite), IsOk());
  EXPECT_THAT(Open(Mode::kReadOnly), IsOk());
}

TEST_F(OpenStoreTest, FillsAnEmptyFile) {
  Write("");
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
}

TEST_F(OpenStoreTest, AMissingFileIsNotCreatedUnlessAsked) {
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kNotFound, HasSubstr(path_.string())));
  EXPECT_THAT(Open(Mode::kReadOnly), StatusIs(StatusCode::kNotFound));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(OpenStoreTest, AMissingFolderIsNamed) {
  path_ = folder_ / "absent" / "metadata.db";
  EXPECT_THAT(Open(Mode::kCreate),
              StatusIs(StatusCode::kNotFound, HasSubstr("there is no folder")));
}

TEST_F(OpenStoreTest, AFolderIsNotADatabase) {
  path_ = folder_;
  EXPECT_THAT(Open(Mode::kCreate), StatusIs(StatusCode::kFailedPrecondition,
                                            AllOf(HasSubstr(path_.string()),
                                                  HasSubstr("is a folder"))));
}

TEST_F(OpenStoreTest, AFileOfSomethingElseIsLeftUntouched) {
  Write("species,island\nAdelie,Torgersen\n");
  EXPECT_THAT(Open(Mode::kCreate),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("is not a SQLite database")));
  EXPECT_EQ(Read(), "species,island\nAdelie,Torgersen\n");
}

TEST_F(OpenStoreTest, ADatabaseOfSomethingElseIsLeftUntouched) {
  Execute("CREATE TABLE songs (title TEXT)");
  const std::string before = Read();
  EXPECT_THAT(Open(Mode::kCreate),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("not a metadata database")));
  EXPECT_EQ(Read(), before);
}

TEST_F(OpenStoreTest, AnotherSchemaVersionIsRefused) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  Execute("UPDATE MLMDEnv SET schema_version = 11");
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("version 11"),
                             HasSubstr("use a newer program"))));
  Execute("UPDATE MLMDEnv SET schema_version = 7");
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("upgrade")));
}

TEST_F(OpenStoreTest, ADamagedDatabaseIsDataLoss) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file << std::string(2000, 'x');
  file.close();
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kDataLoss,
                       AllOf(HasSubstr(path_.string()),
                             HasSubstr("restore it from a backup"))));
}

TEST_F(OpenStoreTest, AnUnwritableFolderIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_read |
                                            std::filesystem::perms::owner_exec);
  EXPECT_THAT(Open(Mode::kCreate), StatusIs(StatusCode::kPermissionDenied,
                                            HasSubstr("is not writable")));
}

TEST_F(OpenStoreTest, AReadOnlyStoreAnswersAndRefusesToWrite) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto store, Open(Mode::kReadOnly));
  EXPECT_THAT(store->metadata().GetArtifacts({}), IsOk());
  EXPECT_THAT(store->metadata().PutArtifacts({}),
              StatusIs(StatusCode::kPermissionDenied));
}

TEST_F(OpenStoreTest, AReadPastItsDeadlineIsGivenUp) {
  RK_ASSERT_OK_AND_ASSIGN(const auto store, Open(Mode::kCreate));
  ml_metadata::PutArtifactTypeRequest type;
  type.mutable_artifact_type()->set_name("Model");
  RK_ASSERT_OK_AND_ASSIGN(const auto type_id,
                          store->metadata().PutArtifactType(type));
  ml_metadata::PutArtifactsRequest artifacts;
  for (int i = 0; i < 5000; ++i) {
    artifacts.add_artifacts()->set_type_id(type_id.type_id());
  }
  EXPECT_THAT(store->metadata().PutArtifacts(artifacts), IsOk());
  {
    const ScopedDeadline over(absl::InfinitePast());
    EXPECT_THAT(store->metadata().GetArtifacts({}),
                StatusIs(StatusCode::kDeadlineExceeded));
    // Writes are finished.
    EXPECT_THAT(store->metadata().PutArtifacts(artifacts), IsOk());
  }
  RK_ASSERT_OK_AND_ASSIGN(const auto all, store->metadata().GetArtifacts({}));
  EXPECT_EQ(all.artifacts_size(), 10000);
}

TEST_F(OpenStoreTest, OurOwnTablesMayBeDropped) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  Execute(
      "DROP TABLE rk_lease; DROP INDEX rk_attribution_artifact; "
      "DROP INDEX rk_association_execution");
  EXPECT_THAT(Open(Mode::kReadWrite), IsOk());
}

}  // namespace
}  // namespace rekindle

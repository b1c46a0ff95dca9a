#include <filesystem>
#include <memory>
#include <sqlite3.h>
#include <string>

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/clock.h"
#include "metadata/api/open_store.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

class StoreIdTest : public ::testing::Test {
 protected:
  // The id that the database at the path has once it was opened.
  static std::string IdOf(const std::string& path,
                          OpenOptions::Mode mode = OpenOptions::Mode::kCreate) {
    const auto store = OpenSqliteStore(path, SystemClock(), {.mode = mode});
    EXPECT_THAT(store, IsOk());
    return (*store)->steps().Identify({})->store_id();
  }

  static void BackUp(const std::string& from, const std::string& to) {
    const auto store = OpenSqliteStore(from, SystemClock(), {});
    const auto ignore = [](int64_t, int64_t) { return absl::OkStatus(); };
    EXPECT_THAT((*store)->maintenance().Backup(to, ignore), IsOk());
  }

  static void Execute(const std::string& path, const char* sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }

  TempDir dir_;
  const std::string path_ = dir_ / "m.db";
};

TEST_F(StoreIdTest, StaysTheSameForAFile) {
  const std::string id = IdOf(path_);
  EXPECT_NE(id, "");
  EXPECT_EQ(IdOf(path_), id);
  EXPECT_EQ(IdOf(path_, OpenOptions::Mode::kReadOnly), id);
  fs::rename(path_, dir_ / "moved.db");
  EXPECT_EQ(IdOf(dir_ / "moved.db"), id);
}

TEST_F(StoreIdTest, DiffersBetweenFilesAndAfterOneWasDeleted) {
  const std::string id = IdOf(path_);
  EXPECT_NE(IdOf(dir_ / "other.db"), id);
  fs::remove(path_);
  EXPECT_NE(IdOf(path_), id);
}

TEST_F(StoreIdTest, OfACopyIsAnother) {
  const std::string id = IdOf(path_);
  fs::copy_file(path_, dir_ / "copy.db");
  const std::string copys = IdOf(dir_ / "copy.db");
  EXPECT_NE(copys, id);
  EXPECT_EQ(IdOf(dir_ / "copy.db"), copys);
  EXPECT_EQ(IdOf(path_), id);
}

TEST_F(StoreIdTest, OfABackupIsAnotherAlsoInThePlaceOfTheOriginal) {
  const std::string id = IdOf(path_);
  BackUp(path_, dir_ / "backup.db");
  fs::copy_file(dir_ / "backup.db", path_,
                fs::copy_options::overwrite_existing);
  EXPECT_NE(IdOf(path_), id);
  EXPECT_NE(IdOf(dir_ / "backup.db"), id);
}

TEST_F(StoreIdTest, IsGivenAnewWhenItWasDropped) {
  const std::string id = IdOf(path_);
  Execute(path_, "DROP TABLE rk_store");
  EXPECT_EQ(IdOf(path_, OpenOptions::Mode::kReadOnly), "");
  const std::string other = IdOf(path_);
  EXPECT_NE(other, "");
  EXPECT_NE(other, id);
}

}  // namespace
}  // namespace rekindle

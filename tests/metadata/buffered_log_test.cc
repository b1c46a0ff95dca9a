// What the buffered log does to the files, seen by a VFS below it that knows
// SQLite's rules.
#include "metadata/sqlite/buffered_log.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "metadata/sqlite/database.h"
#include "metadata/sqlite/transaction.h"
#include "tests/metadata/checking_vfs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// More than the cache of the connections below holds: SQLite spills.
constexpr int kLarge = 200;

class BufferedLogTest : public ::testing::Test {
 protected:
  BufferedLogTest() {
    RegisterCheckingVfs();
    TakeViolations();
    db_ = Open();
    // What is read is in the database, not in the log.
    EXPECT_THAT(db_->Execute("CREATE TABLE t (text TEXT NOT NULL);"
                             "PRAGMA wal_checkpoint(TRUNCATE)"),
                IsOk());
  }
  ~BufferedLogTest() override {
    ObserveFiles(nullptr);
    LetCommitsBeVolatile(false);
  }

  std::unique_ptr<Database> Open() {
    auto db =
        Database::Open(folder_ / "log.db", Database::Mode::kCreate).value();
    EXPECT_THAT(db->Execute("PRAGMA page_size = 1024;"
                            "PRAGMA journal_mode = WAL;"
                            "PRAGMA synchronous = FULL;"
                            "PRAGMA cache_size = 10"),
                IsOk());
    return db;
  }

  static absl::Status Insert(Database& db, int rows) {
    return db.Execute(absl::StrCat(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < ",
        rows, ") INSERT INTO t SELECT hex(zeroblob(250)) FROM n"));
  }

  // Writes more than fits into the cache, and takes it back.
  static void RollBackLarge(Database& db) {
    auto transaction = Transaction::BeginWrite(db);
    ASSERT_THAT(transaction, IsOk());
    EXPECT_THAT(Insert(db, kLarge), IsOk());
  }

  static int64_t Count(Database& db) {
    return db.QueryInt("SELECT count(*) FROM t").value();
  }
  static std::string Integrity(Database& db) {
    auto check = db.Prepare("PRAGMA integrity_check");
    if (!check.ok() || !check->Step().ok()) return "no answer";
    return std::string(check->Text(0));
  }

  const TempDir folder_;
  std::unique_ptr<Database> db_;
};

TEST_F(BufferedLogTest, WhatWasRolledBackNeverReachesTheLogLater) {
  const auto other = Open();
  RollBackLarge(*db_);
  for (int i = 0; i < 80; ++i) EXPECT_THAT(Insert(*other, 1), IsOk());
  EXPECT_EQ(Count(*db_), 80);
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  EXPECT_EQ(Count(*other), 81);
  EXPECT_EQ(Integrity(*Open()), "ok");
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

TEST_F(BufferedLogTest, NeitherWhenTheConnectionIsClosed) {
  const auto other = Open();
  RollBackLarge(*db_);
  for (int i = 0; i < 80; ++i) EXPECT_THAT(Insert(*other, 1), IsOk());
  db_.reset();
  EXPECT_EQ(Count(*Open()), 80);
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

TEST_F(BufferedLogTest, ASpilledTransactionReadsItsOwnRowsAndCommits) {
  {
    RK_ASSERT_OK_AND_ASSIGN(auto transaction, Transaction::BeginWrite(*db_));
    EXPECT_THAT(Insert(*db_, kLarge), IsOk());
    EXPECT_EQ(Count(*db_), kLarge);
    EXPECT_THAT(db_->Execute("UPDATE t SET text = text || 'x'"), IsOk());
    EXPECT_THAT(transaction.Commit(), IsOk());
  }
  const auto other = Open();
  EXPECT_EQ(Count(*other), kLarge);
  EXPECT_EQ(Integrity(*other), "ok");
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

TEST_F(BufferedLogTest, ASavepointIsTakenBackAfterItWasSpilled) {
  RK_ASSERT_OK_AND_ASSIGN(auto transaction, Transaction::BeginWrite(*db_));
  EXPECT_THAT(Insert(*db_, 3), IsOk());
  EXPECT_THAT(RunInSavepoint(*db_,
                             [](Database& db) {
                               EXPECT_THAT(Insert(db, kLarge), IsOk());
                               return absl::NotFoundError("on purpose");
                             })
                  .status,
              StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(Insert(*db_, 4), IsOk());
  EXPECT_THAT(transaction.Commit(), IsOk());
  EXPECT_EQ(Count(*Open()), 7);
  EXPECT_EQ(Integrity(*Open()), "ok");
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

// SQLite forgets the checksums of frames that take the place of such ones as
// were spilled twice and taken back. After a crash the log would end there.
TEST_F(BufferedLogTest, ACommitWithFramesWithoutChecksumsIsRefused) {
  SeedRandomness(1);
  EXPECT_THAT(db_->Execute("CREATE TABLE r (key BLOB PRIMARY KEY)"), IsOk());
  int refused = 0;
  int64_t committed = 0;
  for (int rows = 10; rows < kLarge; rows += 10) {
    RK_ASSERT_OK_AND_ASSIGN(auto transaction, Transaction::BeginWrite(*db_));
    EXPECT_THAT(Insert(*db_, rows / 2), IsOk());
    RunInSavepoint(*db_, [&](Database& db) {
      for (int i = 0; i < rows; ++i) {
        EXPECT_THAT(db.Execute("INSERT INTO r VALUES (randomblob(100))"),
                    IsOk());
      }
      return absl::NotFoundError("on purpose");
    });
    const bool kept = transaction.Commit().ok();
    committed += kept ? rows / 2 : 0;
    refused += kept ? 0 : 1;
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(Count(*Open()), committed);
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

// With less than FULL SQLite shows commits to readers that it has not synced:
// they must be in the file all the same.
TEST_F(BufferedLogTest, ReadersFindACommitThatIsNotDurable) {
  LetCommitsBeVolatile(true);
  EXPECT_THAT(db_->Execute("PRAGMA synchronous = NORMAL"), IsOk());
  const auto other = Open();
  for (int i = 1; i <= 20; ++i) {
    EXPECT_THAT(Insert(*db_, 1), IsOk());
    EXPECT_EQ(Count(*other), i);
  }
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

TEST_F(BufferedLogTest, AConnectionThatHasTheFileForItselfWrites) {
  EXPECT_THAT(db_->Execute("PRAGMA locking_mode = EXCLUSIVE"), IsOk());
  EXPECT_THAT(Insert(*db_, kLarge), IsOk());
  RollBackLarge(*db_);
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  EXPECT_EQ(Count(*db_), kLarge + 1);
  db_.reset();
  EXPECT_EQ(Count(*Open()), kLarge + 1);
}

TEST_F(BufferedLogTest, CheckpointsOfAllKindsKeepTheRules) {
  const auto other = Open();
  for (const char* kind : {"PASSIVE", "FULL", "RESTART", "TRUNCATE"}) {
    EXPECT_THAT(Insert(*db_, kLarge), IsOk());
    RollBackLarge(*other);
    auto checkpoint =
        other->Prepare(absl::StrCat("PRAGMA wal_checkpoint(", kind, ")"));
    ASSERT_THAT(checkpoint, IsOk());
    RK_ASSERT_OK_AND_ASSIGN(const bool answered, checkpoint->Step());
    EXPECT_TRUE(answered);
    EXPECT_EQ(checkpoint->Int(0), 0) << kind;
  }
  EXPECT_EQ(Count(*db_), 4 * kLarge);
  EXPECT_EQ(Integrity(*db_), "ok");
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

// The salt of the log's file, which changes when it is begun anew.
std::string Salt(const std::string& path) {
  std::ifstream log(path + "-wal", std::ios::binary);
  std::string header(24, '\0');
  log.read(header.data(), std::ssize(header));
  return header.substr(16);
}

sqlite3_file* FileOf(Database& db, int which) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(db.handle(), "main", which, &file);
  return file;
}

TEST_F(BufferedLogTest, ALogIsNotBegunAnewWhileItIsCheckpointed) {
  const auto other = Open();
  EXPECT_EQ(Count(*other), 0);
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  EXPECT_THAT(db_->Execute("PRAGMA wal_checkpoint(FULL)"), IsOk());
  const std::string salt = Salt(folder_ / "log.db");
  sqlite3_file* const file = FileOf(*other, SQLITE_FCNTL_FILE_POINTER);
  constexpr int kCheckpointLock = 1;
  ASSERT_EQ(file->pMethods->xShmLock(file, kCheckpointLock, 1,
                                     SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE),
            SQLITE_OK);
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  EXPECT_EQ(Salt(folder_ / "log.db"), salt);
  ASSERT_EQ(file->pMethods->xShmLock(file, kCheckpointLock, 1,
                                     SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE),
            SQLITE_OK);
  EXPECT_THAT(db_->Execute("PRAGMA wal_checkpoint(FULL)"), IsOk());
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  EXPECT_NE(Salt(folder_ / "log.db"), salt);
  EXPECT_EQ(Count(*other), 3);
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

// Counts the writes to the log, or has them fail from a certain one on.
class LogWrites : public FileObserver {
 public:
  int Before(FileCall& call) override {
    if (call.kind != FileCall::Kind::kWrite ||
        !absl::EndsWith(call.path, "-wal")) {
      return SQLITE_OK;
    }
    ++count;
    return failing ? SQLITE_FULL : SQLITE_OK;
  }
  void After(const FileCall& /*call*/, int /*result*/) override {}
  void Violated(const std::string& /*what*/) override {}

  int count = 0;
  bool failing = false;
};

TEST_F(BufferedLogTest, ACommitOfManyPagesIsOneWrite) {
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  EXPECT_THAT(db_->Execute("PRAGMA cache_size = 1000"), IsOk());
  LogWrites writes;
  ObserveFiles(&writes);
  EXPECT_THAT(Insert(*db_, 20), IsOk());
  EXPECT_EQ(writes.count, 1);
}

// What SQLite believes to be in the log is lost: whatever it reads or fails
// meanwhile, the transaction must not be committed.
TEST_F(BufferedLogTest, ATransactionWhoseFramesWereLostCannotCommit) {
  EXPECT_THAT(Insert(*db_, 5), IsOk());
  LogWrites writes;
  ObserveFiles(&writes);
  {
    RK_ASSERT_OK_AND_ASSIGN(auto transaction, Transaction::BeginWrite(*db_));
    absl::Status inserted;
    for (int i = 0; i < 12 && inserted.ok(); ++i) inserted = Insert(*db_, 1);
    ASSERT_THAT(inserted, IsOk());
    writes.failing = true;
    // It reads what is in the log, and is undone alone: with a disk that is
    // full SQLite goes on with the transaction.
    EXPECT_THAT(db_->Execute("UPDATE t SET text = text || 'x'"),
                StatusIs(StatusCode::kResourceExhausted));
    EXPECT_TRUE(db_->in_transaction());
    writes.failing = false;
    ASSERT_GT(writes.count, 0);
    EXPECT_FALSE(transaction.Commit().ok());
  }
  EXPECT_EQ(Count(*db_), 5);
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  EXPECT_EQ(Count(*Open()), 6);
  EXPECT_EQ(Integrity(*Open()), "ok");
  EXPECT_THAT(TakeViolations(), IsEmpty());
}

// --- the checker itself
// --------------------------------------------------------

int WriteTo(sqlite3_file* file, int64_t offset) {
  return file->pMethods->xWrite(file, "8 bytes.", 8, offset);
}

TEST_F(BufferedLogTest, TheCheckerNoticesAWriteToTheLogWithoutItsLock) {
  sqlite3_file* const log = FileOf(*db_, SQLITE_FCNTL_JOURNAL_POINTER);
  EXPECT_EQ(WriteTo(log, 1 << 20), SQLITE_OK);
  EXPECT_THAT(TakeViolations(),
              ElementsAre(HasSubstr("without the write lock")));
  EXPECT_EQ(log->pMethods->xTruncate(log, 1 << 20), SQLITE_OK);
  EXPECT_THAT(TakeViolations(),
              ElementsAre(HasSubstr("truncation of the log")));
}

TEST_F(BufferedLogTest, TheCheckerNoticesAWriteBelowTheCommittedEnd) {
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(auto transaction, Transaction::BeginWrite(*db_));
  sqlite3_file* const log = FileOf(*db_, SQLITE_FCNTL_JOURNAL_POINTER);
  EXPECT_EQ(WriteTo(log, 100), SQLITE_OK);
  EXPECT_EQ(log->pMethods->xSync(log, SQLITE_SYNC_NORMAL), SQLITE_OK);
  EXPECT_THAT(TakeViolations(), Contains(HasSubstr("below the committed end")));
}

TEST_F(BufferedLogTest, TheCheckerNoticesAWriteToTheDatabaseWithoutItsLock) {
  EXPECT_EQ(WriteTo(FileOf(*db_, SQLITE_FCNTL_FILE_POINTER), 4096), SQLITE_OK);
  EXPECT_THAT(TakeViolations(),
              ElementsAre(HasSubstr("without the checkpoint lock")));
}

TEST_F(BufferedLogTest, TheCheckerNoticesACommitThatIsNotDurable) {
  EXPECT_THAT(db_->Execute("PRAGMA synchronous = NORMAL"), IsOk());
  EXPECT_THAT(Insert(*db_, 1), IsOk());
  EXPECT_THAT(TakeViolations(),
              ElementsAre(HasSubstr("before its log is durable")));
}

// Lets the writes to the log come to nothing.
class LostWrites : public LogWrites {
 public:
  int Before(FileCall& call) override {
    if (call.kind == FileCall::Kind::kWrite) call.bytes = {};
    return SQLITE_OK;
  }
};

TEST_F(BufferedLogTest, TheCheckerNoticesACommitThatIsNotInTheFile) {
  LostWrites lost;
  ObserveFiles(&lost);
  Insert(*db_, 1).IgnoreError();
  ObserveFiles(nullptr);
  EXPECT_THAT(TakeViolations(),
              Contains(HasSubstr("a commit is shown to readers whose frame")));
}

}  // namespace
}  // namespace rekindle

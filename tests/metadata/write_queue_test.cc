#include "metadata/store/write_queue.h"

#include <filesystem>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "metadata/sqlite/transaction.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;

class WriteQueueTest : public ::testing::Test {
 protected:
  WriteQueueTest()
      : db_(Database::Open(folder_ / "queue.db", Database::Mode::kCreate)
                .value()),
        queue_(*db_) {
    EXPECT_THAT(db_->Execute("PRAGMA journal_mode = WAL"), IsOk());
    EXPECT_THAT(db_->Execute("PRAGMA synchronous = FULL"), IsOk());
    EXPECT_THAT(db_->Execute("CREATE TABLE t (writer INT, text TEXT)"), IsOk());
  }

  static absl::Status Insert(Database& db, int writer,
                             const std::string& text = "x") {
    auto insert = db.Prepare("INSERT INTO t VALUES (?, ?)");
    if (!insert.ok()) return insert.status();
    insert->Bind(writer, text);
    return insert->Run();
  }

  int64_t Count() { return db_->QueryInt("SELECT count(*) FROM t").value(); }

  TempDir folder_;
  std::unique_ptr<Database> db_;
  WriteQueue queue_;
};

TEST_F(WriteQueueTest, AFailureUndoesItsOwnWorkOnly) {
  constexpr int kWriters = 16;
  constexpr int kWrites = 60;
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < kWrites; ++i) {
        const bool fails = i % 3 == 0;
        const absl::Status done = queue_.Run([&](Database& db) {
          absl::Status inserted = Insert(db, writer);
          inserted.Update(Insert(db, writer));
          return fails ? absl::NotFoundError("on purpose") : inserted;
        });
        EXPECT_EQ(done.code(), fails ? StatusCode::kNotFound : StatusCode::kOk);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(Count(), kWriters * kWrites * 2 / 3 * 2);
}

// How many threads ran the work of five writers that came while another one was
// at it. A writer that comes late leads itself.
int CountLeaders(WriteQueue& queue) {
  std::latch first_runs(1);
  std::latch first_may_end(1);
  std::thread first([&] {
    EXPECT_THAT(queue.Run([&](Database&) {
      first_runs.count_down();
      first_may_end.wait();
      return absl::OkStatus();
    }),
                IsOk());
  });
  first_runs.wait();
  std::latch coming(5);
  std::mutex mutex;
  std::set<std::thread::id> leaders;
  std::vector<std::thread> others;
  others.reserve(5);
  for (int i = 0; i < 5; ++i) {
    others.emplace_back([&] {
      coming.count_down();
      EXPECT_THAT(queue.Run([&](Database&) {
        const std::lock_guard<std::mutex> lock(mutex);
        leaders.insert(std::this_thread::get_id());
        return absl::OkStatus();
      }),
                  IsOk());
    });
  }
  coming.wait();
  std::this_thread::yield();
  first_may_end.count_down();
  first.join();
  for (std::thread& other : others) other.join();
  return static_cast<int>(leaders.size());
}

TEST_F(WriteQueueTest, WhoWaitsTogetherIsWrittenTogether) {
  int leaders = 5;
  for (int round = 0; round < 200 && leaders > 1; ++round) {
    leaders = CountLeaders(queue_);
  }
  EXPECT_EQ(leaders, 1);
}

// Lets three come together, the first of whom writes much and fails.
void FailLargeAmongSmall(WriteQueue& queue) {
  std::latch coming(3);
  const auto join = [&](auto work) {
    coming.arrive_and_wait();
    return queue.Run(work);
  };
  std::thread large([&] {
    EXPECT_THAT(join([](Database& db) {
                  for (int i = 0; i < 2; ++i) {
                    EXPECT_THAT(
                        db.Execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                                   "SELECT i + 1 FROM n WHERE i < 500) "
                                   "INSERT INTO t SELECT -1, hex(zeroblob(500))"
                                   " FROM n; UPDATE t SET text = text || 'x'"),
                        IsOk());
                  }
                  return absl::NotFoundError("on purpose");
                }),
                StatusIs(StatusCode::kNotFound));
  });
  std::vector<std::thread> small;
  for (int writer = 0; writer < 2; ++writer) {
    small.emplace_back([&, writer] {
      EXPECT_THAT(join([writer](Database& db) {
                    return db.Execute(absl::StrCat("INSERT INTO t VALUES (",
                                                   writer, ", 'small')"));
                  }),
                  IsOk());
    });
  }
  large.join();
  for (std::thread& each : small) each.join();
}

// What is in the log must be found there by whoever comes after a crash.
TEST_F(WriteQueueTest, ALargeFailureTakesNothingOfOthersWithItAfterACrash) {
  ASSERT_THAT(db_->Execute("PRAGMA cache_size = 20"), IsOk());
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) FailLargeAmongSmall(queue_);
  const TempDir crashed;
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(folder_ / absl::StrCat("queue.db", suffix),
                               crashed / absl::StrCat("queue.db", suffix));
  }
  RK_ASSERT_OK_AND_ASSIGN(
      const auto after,
      Database::Open(crashed / "queue.db", Database::Mode::kReadWrite));
  EXPECT_EQ(after->QueryInt("SELECT count(*) FROM t").value(), 2 * kRounds);
}

TEST_F(WriteQueueTest, WorkOfAnySizeRunsAlone) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 6; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < 20; ++i) {
        const auto work = [writer](Database& db) { return Insert(db, writer); };
        EXPECT_THAT(writer % 2 == 0 ? queue_.RunAlone(work) : queue_.Run(work),
                    IsOk());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(Count(), 120);
}

TEST_F(WriteQueueTest, WithoutSpaceNothingOfTheFailedWorkRemains) {
  ASSERT_THAT(db_->Execute("PRAGMA max_page_count = 40"), IsOk());
  const std::string large(200'000, 'x');
  std::vector<std::thread> writers;
  writers.reserve(8);
  std::vector<absl::Status> done(8);
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&, writer] {
      done[writer] = queue_.Run([&](Database& db) {
        absl::Status inserted = Insert(db, writer);
        inserted.Update(Insert(db, writer, writer % 2 == 0 ? large : "small"));
        return inserted;
      });
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (int writer = 0; writer < 8; ++writer) {
    if (writer % 2 == 0) {
      EXPECT_THAT(done[writer], StatusIs(StatusCode::kResourceExhausted));
    }
    const int64_t rows =
        db_->QueryInt(
               absl::StrCat("SELECT count(*) FROM t WHERE writer = ", writer))
            .value();
    EXPECT_EQ(rows, done[writer].ok() ? 2 : 0) << done[writer];
  }
}

// SQLite looks at the deadline every so many instructions, also in those that
// follow a commit.
TEST_F(WriteQueueTest, ACommitIsNeverAnsweredWithADeadline) {
  ASSERT_THAT(db_->Execute("PRAGMA synchronous = OFF"), IsOk());
  const ScopedDeadline over(absl::InfinitePast());
  constexpr int kWrites = 20'000;
  for (int i = 0; i < kWrites; ++i) {
    ASSERT_THAT(queue_.Run([&](Database& db) { return Insert(db, i); }),
                IsOk());
  }
}

TEST_F(WriteQueueTest, WhatCannotBeUndoneIsNotCommittedWithTheOthers) {
  {
    RK_ASSERT_OK_AND_ASSIGN(Transaction transaction,
                            Transaction::BeginWrite(*db_));
    const SavepointEnd end = RunInSavepoint(*db_, [](Database& db) {
      EXPECT_THAT(Insert(db, 1), IsOk());
      EXPECT_THAT(db.Execute("RELEASE rk"), IsOk());  // no way back
      return absl::NotFoundError("on purpose");
    });
    EXPECT_THAT(end.status, StatusIs(StatusCode::kNotFound));
    EXPECT_FALSE(end.intact);
  }
  EXPECT_EQ(Count(), 0);
}

// Lets two come while another one is at it: one who writes, and one who writes
// and fails with its way back cut off. How the first ended; nullopt if they
// were not written together.
std::optional<absl::Status> WriteBesideWhatCannotBeUndone(WriteQueue& queue) {
  std::latch first_runs(1);
  std::latch first_may_end(1);
  std::thread first([&] {
    EXPECT_THAT(queue.Run([&](Database&) {
      first_runs.count_down();
      first_may_end.wait();
      return absl::OkStatus();
    }),
                IsOk());
  });
  first_runs.wait();
  std::latch coming(2);
  absl::Status good_end;
  std::thread good([&] {
    coming.count_down();
    good_end = queue.Run([](Database& db) {
      return db.Execute("INSERT INTO t VALUES (1, 'good')");
    });
  });
  bool together = false;
  std::thread bad([&] {
    coming.count_down();
    EXPECT_THAT(queue.Run([&](Database& db) {
      EXPECT_THAT(db.Execute("INSERT INTO t VALUES (-1, 'bad')"), IsOk());
      together = db.Execute("RELEASE rk").ok();
      return absl::NotFoundError("on purpose");
    }),
                StatusIs(StatusCode::kNotFound));
  });
  coming.wait();
  std::this_thread::yield();
  first_may_end.count_down();
  for (std::thread* each : {&first, &good, &bad}) each->join();
  return together ? std::optional(good_end) : std::nullopt;
}

TEST_F(WriteQueueTest, AnUndoThatFailsTakesTheWholeCommitWithIt) {
  std::optional<absl::Status> good;
  int64_t before = 0;
  for (int round = 0; round < 200 && !good.has_value(); ++round) {
    before = Count();
    good = WriteBesideWhatCannotBeUndone(queue_);
  }
  ASSERT_TRUE(good.has_value()) << "they were never written together";
  EXPECT_EQ(db_->QueryInt("SELECT count(*) FROM t WHERE writer = -1").value(),
            0);
  // Whoever came first is undone, too; whoever comes after is not touched.
  EXPECT_EQ(Count(), before + (good->ok() ? 1 : 0));
  EXPECT_TRUE(good->ok() || absl::IsUnavailable(*good)) << *good;
}

TEST_F(WriteQueueTest, AWriteThatThrowsLeavesTheQueueToOthers) {
  EXPECT_THAT(queue_.Run([](Database& db) -> absl::Status {
    EXPECT_THAT(Insert(db, 1), IsOk());
    throw std::bad_alloc();
  }),
              StatusIs(StatusCode::kInternal));
  EXPECT_EQ(Count(), 0);
  EXPECT_THAT(queue_.Run([](Database& db) { return Insert(db, 2); }), IsOk());
  EXPECT_EQ(Count(), 1);
}

}  // namespace
}  // namespace rekindle

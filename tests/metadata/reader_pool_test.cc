#include "metadata/store/reader_pool.h"

#include <latch>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "metadata/api/reader_lane.h"
#include "metadata/sqlite/database.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;

class ReaderPoolTest : public ::testing::Test {
 protected:
  ReaderPoolTest()
      : db_(Database::Open(folder_ / "pool.db", Database::Mode::kCreate)
                .value()),
        pool_(nullptr, [this] {
          return Database::Open(folder_ / "pool.db",
                                Database::Mode::kReadWrite);
        }) {
    EXPECT_THAT(db_->Execute("PRAGMA journal_mode = WAL"), IsOk());
  }

  ~ReaderPoolTest() override {
    may_end_.Notify();
    for (std::thread& each : readers_) each.join();
  }

  // Reads in `lane` until the test ends, `count` times at once.
  void Occupy(ReaderLane lane, int count) {
    std::latch reading(count);
    for (int i = 0; i < count; ++i) {
      readers_.emplace_back([&, lane] {
        const ScopedReaderLane in(lane);
        EXPECT_THAT(pool_.Run([&](Database&) {
          reading.count_down();
          may_end_.WaitForNotification();
          return absl::OkStatus();
        }),
                    IsOk());
      });
    }
    reading.wait();
  }

  absl::Status Read(ReaderLane lane) {
    const ScopedReaderLane in(lane);
    // In the past: whoever would have to wait gives up.
    const ScopedDeadline now(absl::Now() - absl::Seconds(1));
    return pool_.Run([](Database&) { return absl::OkStatus(); });
  }

  TempDir folder_;
  std::unique_ptr<Database> db_;
  ReaderPool pool_;
  absl::Notification may_end_;
  std::vector<std::thread> readers_;
};

TEST_F(ReaderPoolTest, WorkThatThrowsGivesItsReaderBack) {
  const ScopedReaderLane in(ReaderLane::kMaintenance);
  const auto throws = [](Database&) -> absl::Status { throw std::bad_alloc(); };
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(pool_.Run(throws).IgnoreError(), std::bad_alloc);
  }
  EXPECT_THAT(Read(ReaderLane::kMaintenance), IsOk());
}

TEST_F(ReaderPoolTest, CopiesLeaveTheReadersOfOthers) {
  Occupy(ReaderLane::kMaintenance, 2);
  EXPECT_THAT(Read(ReaderLane::kMaintenance),
              StatusIs(StatusCode::kDeadlineExceeded));
  EXPECT_THAT(Read(ReaderLane::kGeneral), IsOk());
  EXPECT_THAT(Read(ReaderLane::kReserved), IsOk());
}

TEST_F(ReaderPoolTest, ListingsLeaveTheReadersOfHealthAndSteps) {
  Occupy(ReaderLane::kGeneral, 8);
  EXPECT_THAT(Read(ReaderLane::kGeneral),
              StatusIs(StatusCode::kDeadlineExceeded));
  EXPECT_THAT(Read(ReaderLane::kReserved), IsOk());
}

TEST_F(ReaderPoolTest, AConnectionThatCannotBeOpenedLeavesItsPlace) {
  bool fails = true;
  ReaderPool pool(nullptr, [&]() -> absl::StatusOr<std::unique_ptr<Database>> {
    if (fails) return absl::UnavailableError("no descriptors");
    return Database::Open(folder_ / "pool.db", Database::Mode::kReadWrite);
  });
  const auto nothing = [](Database&) { return absl::OkStatus(); };
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(pool.Run(nothing), StatusIs(StatusCode::kUnavailable));
  }
  fails = false;
  EXPECT_THAT(pool.Run(nothing), IsOk());
}

}  // namespace
}  // namespace rekindle

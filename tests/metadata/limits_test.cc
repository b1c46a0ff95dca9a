#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/api/reader_lane.h"
#include "metadata/server/limits/admission.h"
#include "metadata/server/limits/call_kind.h"
#include "metadata/server/limits/memory_budget.h"
#include "metadata/server/limits/message_cost.h"
#include "metadata/server/limits/reset_guard.h"
#include "metadata/server/limits/spool.h"
#include "metadata/server/limits/stall_guard.h"
#include "metadata/server/method_table.h"
#include "metadata/server/readiness.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::ml_metadata::PutArtifactsRequest;
using ::testing::HasSubstr;

constexpr absl::Time kNow = absl::UnixEpoch();

TEST(CallKindTest, WhatStepsLiveByHasItsOwnLane) {
  for (const char* method : {"Claim", "Renew", "StartWork", "PreparePublish",
                             "Publish", "Finish", "Identify"}) {
    EXPECT_EQ(LaneOf(KindOfCall(method)), ReaderLane::kReserved) << method;
  }
  for (const char* method : {"Backup", "Export", "Load", "Verify", "Delete"}) {
    EXPECT_EQ(LaneOf(KindOfCall(method)), ReaderLane::kMaintenance) << method;
  }
}

TEST(CallKindTest, EveryCallOfStepsHasAKindOfItsOwn) {
  for (const Method& method : AllMethods()) {
    const bool of_steps =
        method.descriptor->service()->full_name() == "rekindle.v1.StepService";
    EXPECT_EQ(KindOfCall(method.name()) != CallKind::kGeneral, of_steps)
        << method.name();
  }
}

TEST(AdmissionTest, CallsOfOneKindLeaveThePlacesOfAnother) {
  FakeClock clock(kNow);
  ServerOptions options;
  options.max_calls = 4;
  Admission admission(options, clock);
  std::vector<ClientBudget::Share> held;
  for (int i = 0; i < 3; ++i) {
    RK_ASSERT_OK_AND_ASSIGN(auto place, admission.Enter("GetArtifacts", "a"));
    held.push_back(std::move(place));
  }
  EXPECT_THAT(
      admission.Enter("GetArtifacts", "a"),
      StatusIs(StatusCode::kResourceExhausted, HasSubstr("GetArtifacts")));
  EXPECT_THAT(admission.Enter("GetArtifacts", "b"), IsOk());
  EXPECT_THAT(admission.Enter("Renew", "a"), IsOk());
  EXPECT_THAT(admission.Enter("Export", "a"), IsOk());
}

TEST(MemoryBudgetTest, OneClientLeavesSomeToOthers) {
  MemoryBudget budget({.all = 100, .each = 75});
  RK_ASSERT_OK_AND_ASSIGN(const auto first, budget.Take("a", 70, kNow));
  EXPECT_THAT(budget.Take("a", 10, kNow),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(budget.Take("b", 30, kNow), IsOk());
  EXPECT_THAT(budget.Take("b", 31, kNow),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(budget.Take("c", 76, absl::InfiniteFuture()),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("75")));
}

TEST(MemoryBudgetTest, WaitsForWhatOthersGiveBack) {
  MemoryBudget budget({.all = 100, .each = 100});
  RK_ASSERT_OK_AND_ASSIGN(auto first, budget.Take("a", 100, kNow));
  auto held = std::make_unique<MemoryBudget::Share>(std::move(first));
  absl::Status second = absl::UnknownError("not yet");
  std::thread waits(
      [&] { second = budget.Take("a", 1, absl::InfiniteFuture()).status(); });
  held.reset();
  waits.join();
  EXPECT_THAT(second, IsOk());
}

absl::StatusOr<int64_t> CostOf(const std::string& wire, int64_t enough) {
  google::protobuf::io::ArrayInputStream stream(wire.data(),
                                                static_cast<int>(wire.size()));
  return CostOfMessage(*PutArtifactsRequest::descriptor(), stream, enough);
}

TEST(MessageCostTest, IsAtLeastWhatTheMessageTakes) {
  PutArtifactsRequest request;
  for (int i = 0; i < 100; ++i) {
    auto* artifact = request.add_artifacts();
    artifact->set_uri(absl::StrCat("/a/rather/long/path/", i));
    (*artifact->mutable_custom_properties())["key"].set_string_value(
        std::string(100, 'x'));
    (*artifact->mutable_properties())["n"].set_int_value(i);
  }
  for (int i = 0; i < 100; ++i) request.add_artifacts();
  RK_ASSERT_OK_AND_ASSIGN(const int64_t cost,
                          CostOf(request.SerializeAsString(), 1 << 30));
  const auto taken = static_cast<int64_t>(request.SpaceUsedLong());
  EXPECT_GE(cost, taken * 3 / 4);
  EXPECT_LE(cost, taken * 4);
}

TEST(MessageCostTest, CountsNoFurtherThanItMust) {
  std::string bomb;
  for (int i = 0; i < 1 << 20; ++i) bomb += std::string("\x0a\x00", 2);
  RK_ASSERT_OK_AND_ASSIGN(const int64_t cost, CostOf(bomb, 1 << 20));
  EXPECT_GT(cost, 1 << 20);
  EXPECT_LT(cost, 2 << 20);
}

TEST(MessageCostTest, RefusesWhatIsNoMessage) {
  EXPECT_THAT(CostOf("\x0f", 1 << 20),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("ml_metadata.PutArtifactsRequest")));
  // Groups in groups that nobody knows.
  EXPECT_THAT(CostOf(std::string(1000, '\x7b'), 1 << 20),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("deep")));
}

TEST(StallGuardTest, EndsWhoKeepsTheServerWaiting) {
  FakeClock clock(kNow);
  StallGuard guard(absl::Seconds(30), clock);
  int ended = 0;
  const auto slow = guard.Begin([&] { ++ended; });
  clock.Advance(absl::Seconds(29));
  const auto newer = guard.Begin([&] { ++ended; });
  guard.Look();
  EXPECT_EQ(ended, 0);
  clock.Advance(absl::Seconds(1));
  guard.Look();
  guard.Look();
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(slow->stalled());
  EXPECT_FALSE(newer->stalled());
  EXPECT_EQ(guard.stalled(), 1);
}

TEST(StallGuardTest, ForgetsWhoIsDone) {
  FakeClock clock(kNow);
  StallGuard guard(absl::Seconds(30), clock);
  int ended = 0;
  guard.Begin([&] { ++ended; }).reset();
  clock.Advance(absl::Minutes(1));
  guard.Look();
  EXPECT_EQ(ended, 0);
}

TEST(ResetGuardTest, FindsWhoResetsCallAfterCall) {
  FakeClock clock(kNow);
  ResetGuard guard(clock);
  for (int i = 1; i < ResetGuard::kMaxResets; ++i) {
    EXPECT_FALSE(guard.Note("a"));
    EXPECT_FALSE(guard.Note("b"));
  }
  EXPECT_TRUE(guard.Note("a"));
  EXPECT_FALSE(guard.Note("a"));
  clock.Advance(absl::Seconds(1));
  EXPECT_FALSE(guard.Note("b"));
}

TEST(SpoolTest, KeepsToItsBudget) {
  SpoolBudget budget({.all = 150, .each = 100});
  {
    RK_ASSERT_OK_AND_ASSIGN(Spool first, Spool::Create(budget));
    RK_ASSERT_OK_AND_ASSIGN(Spool second, Spool::Create(budget));
    EXPECT_THAT(first.Append(std::string(90, 'x')), IsOk());
    EXPECT_THAT(first.Append(std::string(20, 'x')),
                StatusIs(StatusCode::kResourceExhausted,
                         HasSubstr("--max-spool-bytes")));
    EXPECT_THAT(second.Reserve(61), StatusIs(StatusCode::kResourceExhausted,
                                             HasSubstr("try again")));
    EXPECT_THAT(second.Reserve(60), IsOk());
    EXPECT_EQ(budget.taken(), 150);
  }
  EXPECT_EQ(budget.taken(), 0);
}

TEST(SpoolTest, LeavesRoomOnTheDisk) {
  SpoolBudget budget({.all = int64_t{1} << 60, .each = int64_t{1} << 60});
  RK_ASSERT_OK_AND_ASSIGN(Spool spool, Spool::Create(budget));
  EXPECT_THAT(spool.Reserve(int64_t{1} << 55),
              StatusIs(StatusCode::kResourceExhausted, HasSubstr("TMPDIR")));
  EXPECT_EQ(budget.taken(), 0);
}

class ReadinessTest : public ::testing::Test {
 protected:
  FakeClock clock_{kNow};
  absl::Status answer_;
  int asked_ = 0;
  std::vector<bool> told_;
  Readiness readiness_{[this](absl::Time) {
                         ++asked_;
                         return answer_;
                       },
                       [this](bool ready) { told_.push_back(ready); }, clock_};
};

TEST_F(ReadinessTest, SaysWhatTheServerAnswersItself) {
  EXPECT_THAT(readiness_.Now(), IsOk());
  answer_ = absl::UnavailableError("the file is gone");
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(readiness_.Now(),
              StatusIs(StatusCode::kUnavailable, HasSubstr("gone")));
  EXPECT_EQ(told_, (std::vector<bool>{true, false}));
}

TEST_F(ReadinessTest, DoesNotAskForEachWhoAsks) {
  for (int i = 0; i < 100; ++i) EXPECT_THAT(readiness_.Now(), IsOk());
  EXPECT_EQ(asked_, 1);
}

TEST_F(ReadinessTest, IsNotReadyOnceItDrains) {
  EXPECT_THAT(readiness_.Now(), IsOk());
  readiness_.Drain();
  clock_.Advance(absl::Minutes(1));
  EXPECT_THAT(readiness_.Now(),
              StatusIs(StatusCode::kUnavailable, HasSubstr("shutting down")));
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(told_, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace rekindle

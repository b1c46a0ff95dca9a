#include "component/io/batch_order.h"

#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

std::vector<int64_t> Rows(BatchOrder& order, int64_t step) {
  const auto rows = order.Rows(step);
  return {rows.begin(), rows.end()};
}

TEST(BatchOrderTest, AnEpochSeesEveryExampleOnce) {
  BatchOrder order(100, 20, /*seed=*/7);
  std::set<int64_t> seen;
  for (int64_t step = 0; step < 5; ++step) {
    for (const int64_t row : order.Rows(step)) seen.insert(row);
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(BatchOrderTest, StepsAreTheSameInAnyOrder) {
  BatchOrder forward(10, 3, /*seed=*/1);
  std::vector<std::vector<int64_t>> steps;
  for (int64_t step = 0; step < 20; ++step) {
    steps.push_back(Rows(forward, step));
  }
  BatchOrder backward(10, 3, /*seed=*/1);
  for (int64_t step = 19; step >= 0; --step) {
    EXPECT_EQ(Rows(backward, step), steps[static_cast<size_t>(step)]);
  }
}

TEST(BatchOrderTest, EpochsAndSeedsDiffer) {
  BatchOrder order(50, 50, /*seed=*/1);
  BatchOrder other(50, 50, /*seed=*/2);
  const std::vector<int64_t> first = Rows(order, 0);
  EXPECT_NE(Rows(order, 1), first);
  EXPECT_NE(Rows(other, 0), first);
}

TEST(BatchOrderTest, ABatchLargerThanTheDataSpansEpochs) {
  BatchOrder order(2, 5, /*seed=*/3);
  const std::vector<int64_t> rows = Rows(order, 0);
  EXPECT_THAT((std::vector{rows[0], rows[1]}),
              testing::UnorderedElementsAre(0, 1));
  EXPECT_THAT((std::vector{rows[2], rows[3]}),
              testing::UnorderedElementsAre(0, 1));
}

}  // namespace
}  // namespace rekindle

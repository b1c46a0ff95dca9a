#include "component/io/histogram_buckets.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "component/io/string_tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;
using ::testing::ElementsAre;

Tensor Values(std::initializer_list<double> values) {
  Tensor tensor(tensorflow::DT_DOUBLE,
                tensorflow::TensorShape({static_cast<int64_t>(values.size())}));
  std::ranges::copy(values, tensor.flat<double>().data());
  return tensor;
}

// Column `column` of the buckets.
std::vector<double> Column(const Tensor& values, int count, int column) {
  const auto buckets = HistogramBuckets(values, count);
  EXPECT_TRUE(buckets.ok()) << buckets.status();
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(buckets->matrix<double>()(i, column));
  }
  return numbers;
}

TEST(HistogramBucketsTest, TheLargestEntryIsInTheLastBucket) {
  const Tensor values = Values({0, 1, 1.5, 2, 4});
  EXPECT_THAT(Column(values, 4, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Column(values, 4, 1), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Column(values, 4, 2), ElementsAre(1, 2, 1, 1));
}

TEST(HistogramBucketsTest, EntriesThatAreNotFiniteAreLeftOut) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor values = Values({0, std::nan(""), infinity, -infinity, 2});
  EXPECT_THAT(Column(values, 2, 1), ElementsAre(1, 2));
  EXPECT_THAT(Column(values, 2, 2), ElementsAre(1, 1));
}

TEST(HistogramBucketsTest, TheRangeOfAllDoublesIsCounted) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_THAT(Column(Values({-largest, 0, largest}), 2, 2), ElementsAre(1, 2));
}

TEST(HistogramBucketsTest, WholeNumbersAreCounted) {
  Tensor values(tensorflow::DT_INT64, tensorflow::TensorShape({2, 2}));
  values.flat<int64_t>().setValues({1, 2, 3, 3});
  EXPECT_THAT(Column(values, 2, 2), ElementsAre(1, 3));
}

TEST(HistogramBucketsTest, StringsHaveNoHistogram) {
  const auto buckets = HistogramBuckets(StringTensor({"a"}), 30);
  EXPECT_EQ(buckets.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rekindle

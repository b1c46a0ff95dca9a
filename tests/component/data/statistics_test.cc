// Sketches and collectors beside plain computations of the same.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "component/data/feature_collector.h"
#include "component/data/histograms.h"
#include "component/data/partition.h"
#include "component/data/quantile_sketch.h"
#include "component/data/statistics_collector.h"
#include "component/data/value_counts.h"
#include "component/records/record_framing.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow_metadata/proto/v0/statistics.pb.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

namespace tfmd = tensorflow::metadata::v0;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(PartitionTest, KeysAreWhereTfxPutsThem) {
  // int(hashlib.sha256(str(i).encode()).hexdigest(), 16) % 10, in the splits
  // of 8, 1 and 1 buckets.
  Partition partition({{"train", 8}, {"eval", 1}, {"test", 1}});
  std::vector<size_t> splits;
  for (int i = 0; i < 16; ++i) {
    splits.push_back(partition.SplitOf(std::to_string(i)));
  }
  EXPECT_EQ(splits, (std::vector<size_t>{0, 0, 0, 1, 0, 0, 0, 2, 2, 0, 0, 1, 0,
                                         0, 0, 0}));
}

TEST(QuantileSketchTest, IsExactUpToItsLimit) {
  QuantileSketch sketch;
  for (int i = 10; i > 0; --i) sketch.Add(i);
  EXPECT_EQ(QuantileOf(sketch.Sorted(), 0), 1);
  EXPECT_EQ(QuantileOf(sketch.Sorted(), 0.5), 5);
  EXPECT_EQ(QuantileOf(sketch.Sorted(), 0.51), 6);
  EXPECT_EQ(QuantileOf(sketch.Sorted(), 1), 10);
}

TEST(QuantileSketchTest, BeyondItsLimitRanksAreNearlyRight) {
  std::mt19937 random(5);
  std::lognormal_distribution<double> draw(0, 2);
  QuantileSketch sketch;
  std::vector<double> all(1'000'000);
  for (double& value : all) sketch.Add(value = draw(random));
  std::sort(all.begin(), all.end());
  const auto sorted = sketch.Sorted();
  EXPECT_LT(sorted.size(), 6 * QuantileSketch::kExactValues);
  for (double fraction = 0.01; fraction < 1; fraction += 0.01) {
    const double value = QuantileOf(sorted, fraction);
    const auto rank = std::lower_bound(all.begin(), all.end(), value);
    EXPECT_NEAR(static_cast<double>(rank - all.begin()) / 1e6, fraction, 1e-4);
  }
}

TEST(ValueCountsTest, CountsAreExactUpToALimit) {
  ValueCounts counts;
  for (const char* value : {"b", "a", "b", "c", "c", "d"}) counts.Add(value);
  EXPECT_EQ(counts.unique(), 4U);
  EXPECT_THAT(counts.Ranked(3),
              ElementsAre(Pair("c", 2), Pair("b", 2), Pair("d", 1)));
}

TEST(ValueCountsTest, BeyondTheLimitFrequentOnesAreKeptAndTheNumberEstimated) {
  ValueCounts counts;
  constexpr int kDistinct = 400'000;
  for (int i = 0; i < kDistinct; ++i) {
    counts.Add(std::to_string(i));
    counts.Add(i % 2 == 0 ? "often" : i % 3 == 0 ? "less" : "rare");
  }
  const auto top = counts.Ranked(2);
  EXPECT_THAT(top[0], Pair("often", kDistinct / 2));
  EXPECT_NEAR(static_cast<double>(counts.unique()), kDistinct,
              0.06 * kDistinct);
}

TEST(HistogramsTest, BucketsAreOfEqualWidthOrOfEqualCount) {
  QuantileSketch sketch;
  for (int i = 0; i <= 100; ++i) sketch.Add(i);
  const auto sorted = sketch.Sorted();
  const tfmd::Histogram standard = StandardHistogram(sorted);
  ASSERT_EQ(standard.buckets_size(), 10);
  EXPECT_EQ(standard.buckets(0).sample_count(), 10);
  EXPECT_EQ(standard.buckets(9).sample_count(), 11);  // 100 is inside
  EXPECT_EQ(standard.buckets(9).high_value(), 100);
  const tfmd::Histogram quantiles = QuantilesHistogram(sorted);
  EXPECT_EQ(quantiles.buckets(4).high_value(), 50);
  EXPECT_NEAR(quantiles.buckets(4).sample_count(), 10.1, 1e-9);
}

TEST(HistogramsTest, InfiniteAndEqualValuesHaveTheirBuckets) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  QuantileSketch sketch;
  for (const double value : {-kInfinity, 0.0, 5.0, kInfinity}) {
    sketch.Add(value);
  }
  const tfmd::Histogram histogram = StandardHistogram(sketch.Sorted());
  EXPECT_EQ(histogram.buckets(0).low_value(), -kInfinity);
  EXPECT_EQ(histogram.buckets(0).sample_count(), 2);
  EXPECT_EQ(histogram.buckets(9).high_value(), kInfinity);
  EXPECT_EQ(histogram.buckets(9).sample_count(), 2);

  QuantileSketch equal;
  equal.Add(3);
  EXPECT_EQ(StandardHistogram(equal.Sorted()).buckets(0).sample_count(), 1);
  EXPECT_EQ(StandardHistogram({}).buckets_size(), 0);
}

TEST(StatisticsCollectorTest, DescribesEachFeature) {
  StatisticsCollector collector;
  const auto add = [&](const std::string& text) {
    ASSERT_THAT(
        collector.Add(Parse<tensorflow::Example>(text).SerializeAsString()),
        IsOk());
  };
  add(R"pb(features {
             feature {
               key: "x"
               value { float_list { value: 1 value: 0 value: nan } }
             }
             feature {
               key: "s"
               value { bytes_list { value: "b" } }
             }
           })pb");
  add(R"pb(features {
             feature {
               key: "x"
               value { float_list { value: 5 } }
             }
             feature {
               key: "s"
               value {}
             }
           })pb");
  const tfmd::DatasetFeatureStatistics dataset = collector.Finish();
  ASSERT_EQ(dataset.features_size(), 2);
  EXPECT_EQ(dataset.num_examples(), 2U);
  const tfmd::StringStatistics& s = dataset.features(0).string_stats();
  EXPECT_EQ(s.common_stats().num_missing(), 1U);
  EXPECT_EQ(s.unique(), 1U);
  EXPECT_EQ(s.rank_histogram().buckets(0).label(), "b");
  const tfmd::NumericStatistics& x = dataset.features(1).num_stats();
  EXPECT_EQ(x.common_stats().min_num_values(), 1U);
  EXPECT_EQ(x.common_stats().tot_num_values(), 4U);
  EXPECT_EQ(x.num_zeros(), 1U);
  EXPECT_EQ(x.mean(), 2);
  EXPECT_NEAR(x.std_dev(), std::sqrt(14.0 / 3), 1e-12);
  EXPECT_EQ(x.median(), 1);
  EXPECT_EQ(x.histograms(0).num_nan(), 1U);
}

TEST(StatisticsCollectorTest, AFeatureOfTwoTypesIsAnError) {
  FeatureCollector feature;
  const std::vector<int64_t> ints = {1};
  const std::vector<float> floats = {1};
  ASSERT_THAT(feature.AddInts(ints), IsOk());
  EXPECT_THAT(feature.AddFloats(floats),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("is INT in some examples and FLOAT")));
}

TEST(StatisticsCollectorTest, AnEmptyRecordIsNamedByItsFileAndPlace) {
  const TempDir dir;
  std::string records;
  AppendFramedRecord(
      Parse<tensorflow::Example>("features {}").SerializeAsString(), &records);
  const size_t offset = records.size();
  AppendFramedRecord("", &records);
  const std::string file = dir.Write("data.tfrecord", records);
  EXPECT_THAT(StatisticsCollector().AddFiles({file}, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr(absl::StrCat(file, ": record at offset ",
                                              offset, " is empty"))));
}

TEST(StatisticsCollectorTest, BytesThatAreNoExampleAreDataLoss) {
  StatisticsCollector collector;
  EXPECT_THAT(collector.Add("\x0a\xff"), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace rekindle

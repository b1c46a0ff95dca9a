#include "component/input/example_stream.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/component/features/random_examples.h"
#include "tests/component/input/stream_files.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

std::vector<int> From0To(int end) {
  std::vector<int> numbers(static_cast<size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Part `index` of a sequence that is cut into parts of `size`.
std::vector<int> Part(const std::vector<int>& all, int index, int size) {
  return {all.begin() + index * size, all.begin() + (index + 1) * size};
}

TEST(ExampleStreamTest, AnEpochHasEachExampleOnceInAnOrderOfItsOwn) {
  const StreamFiles files({7, 0, 13, 1, 19});
  const auto stream = OpenStream(files, files.Config(true));
  const std::vector<int> read = ReadNumbers(*stream, 30);
  const std::vector<int> first = Part(read, 0, 40);
  const std::vector<int> second = Part(read, 1, 40);
  EXPECT_THAT(first, UnorderedElementsAreArray(From0To(40)));
  EXPECT_THAT(second, UnorderedElementsAreArray(From0To(40)));
  EXPECT_NE(first, From0To(40));
  EXPECT_NE(first, second);
}

TEST(ExampleStreamTest, TheOrderDependsOnTheSeedAlone) {
  const StreamFiles files({17, 23});
  DataConfig data = files.Config(true);
  const std::vector<int> one = ReadNumbers(*OpenStream(files, data), 25);
  EXPECT_EQ(one, ReadNumbers(*OpenStream(files, data), 25));
  EXPECT_NE(one, ReadNumbers(*OpenStream(files, data, {.seed = 2}), 25));
  data.seed = 1;
  EXPECT_EQ(one, ReadNumbers(*OpenStream(files, data, {.seed = 2}), 25));
}

TEST(ExampleStreamTest, EvaluationGivesEachExampleOnceInTheOrderOfTheFiles) {
  const StreamFiles files({5, 0, 6});
  const auto stream = OpenStream(files, files.Config(false));
  EXPECT_EQ(ReadNumbers(*stream), From0To(11));
  EXPECT_FALSE(NextBatch(*stream).has_value());
  EXPECT_TRUE(stream->Seek({}).ok());
  EXPECT_EQ(ReadNumbers(*stream), From0To(11));

  DataConfig full = files.Config(false);
  full.drop_remainder = true;
  EXPECT_EQ(ReadNumbers(*OpenStream(files, full)), From0To(8));
}

TEST(ExampleStreamTest, FilesTakeTurns) {
  const StreamFiles files({4, 1, 3});
  DataConfig data = files.Config(false);
  data.cycle_length = 2;
  data.block_length = 2;
  EXPECT_THAT(ReadNumbers(*OpenStream(files, data)),
              ElementsAre(0, 1, 4, 5, 6, 2, 3, 7));
}

TEST(ExampleStreamTest, ASmallBufferShufflesNearExamplesOnly) {
  const StreamFiles files({200});
  DataConfig data = files.Config(true);
  data.shuffle_buffer_size = 10;
  const std::vector<int> read = ReadNumbers(*OpenStream(files, data), 50);
  for (int i = 0; i < 200; ++i) EXPECT_LT(read[static_cast<size_t>(i)], i + 10);
  EXPECT_NE(read, From0To(200));
  data.shuffle_buffer_size = 0;
  EXPECT_EQ(ReadNumbers(*OpenStream(files, data), 50), From0To(200));
}

TEST(ExampleStreamTest, SerializedExamplesAreWhatTheFilesHold) {
  const StreamFiles files({9, 3});
  const auto stream =
      OpenStream(files, files.Config(false), {.serialized = true});
  ASSERT_EQ(stream->spec().size(), 1u);
  EXPECT_EQ(stream->spec()[0].name, "examples");
  std::vector<std::string> read;
  while (const std::optional<Batch> batch = NextBatch(*stream)) {
    const auto strings = batch->tensors[0].flat<tensorflow::tstring>();
    for (int64_t i = 0; i < strings.size(); ++i) read.push_back(strings(i));
  }
  EXPECT_EQ(read, files.records());
}

TEST(ExampleStreamTest, ATensorThatIsStillInUseIsNotChanged) {
  const StreamFiles files({40});
  const auto stream = OpenStream(files, files.Config(true));
  Batch batch;
  ASSERT_TRUE(*stream->Next(&batch));
  const Batch kept = batch;  // shares the tensors' memory
  const std::vector<int> numbers = NumbersOf(kept);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(*stream->Next(&batch));
  EXPECT_EQ(NumbersOf(kept), numbers);
}

// A random configuration of random files, the same for the same seed.
struct RandomSetting {
  explicit RandomSetting(uint64_t seed) : random(seed) {
    for (uint64_t left = 1 + random() % 6; left > 0; --left) {
      sizes.push_back(static_cast<int>(random() % 60));
    }
    sizes.push_back(1 + static_cast<int>(random() % 60));
  }

  DataConfig Config(const StreamFiles& files) {
    DataConfig data = files.Config(random() % 4 != 0);
    data.global_batch_size = static_cast<int64_t>(4 * (1 + random() % 5));
    data.shuffle_buffer_size = static_cast<int64_t>(random() % 90);
    if (random() % 2 == 0) data.cycle_length = 1 + random() % 5;
    data.block_length = static_cast<int64_t>(1 + random() % 3);
    data.drop_remainder = random() % 2 == 0;
    data.prefetch_buffer_size = 1 + random() % 4;
    return data;
  }

  StreamOptions Options() {
    static constexpr InputContext kContexts[] = {
        {1, 0, 1}, {1, 0, 2}, {2, 0, 1}, {2, 1, 2}, {4, 3, 1}, {1, 0, 4}};
    return {.context = kContexts[random() % std::size(kContexts)],
            .seed = random(),
            .may_cache = random() % 2 == 0,
            .serialized = random() % 5 == 0};
  }

  std::mt19937_64 random;
  std::vector<int> sizes;
};

class RandomStreamTest : public ::testing::TestWithParam<int> {
 protected:
  RandomSetting setting_{static_cast<uint64_t>(GetParam())};
  const StreamFiles files_{setting_.sizes};
  const DataConfig data_ = setting_.Config(files_);
  const StreamOptions options_ = setting_.Options();
};

// Every position of an uninterrupted stream, with what it gives from there on.
struct Recorded {
  std::vector<InputPosition> positions;
  std::vector<std::vector<Batch>> steps;
};

Recorded Record(Dataset& stream, int replicas, int steps) {
  Recorded recorded;
  for (; steps > 0; --steps) {
    recorded.positions.push_back(stream.position());
    std::vector<Batch> slices;
    for (int i = 0; i < replicas; ++i) {
      std::optional<Batch> batch = NextBatch(stream);
      if (batch.has_value()) slices.push_back(*std::move(batch));
    }
    recorded.steps.push_back(std::move(slices));
  }
  return recorded;
}

TEST_P(RandomStreamTest, ResumesAtAnyPositionAsIfItHadNotBeenInterrupted) {
  constexpr int kSteps = 40;
  const int replicas = options_.context.replicas;
  const auto whole = OpenStream(files_, data_, options_);
  const Recorded recorded = Record(*whole, replicas, kSteps);
  auto resumed = OpenStream(files_, data_, options_);
  for (int i = 0; i < 12; ++i) {
    // Sometimes in a new process, sometimes in the middle of something else.
    if (setting_.random() % 2 == 0) {
      resumed = OpenStream(files_, data_, options_);
    }
    const size_t step = setting_.random() % kSteps;
    ASSERT_TRUE(resumed->Seek(recorded.positions[step]).ok());
    EXPECT_EQ(resumed->position(), recorded.positions[step]);
    const size_t steps =
        std::min<size_t>(1 + setting_.random() % 20, kSteps - step);
    const Recorded again = Record(*resumed, replicas, static_cast<int>(steps));
    for (size_t s = 0; s < steps; ++s) {
      EXPECT_EQ(again.positions[s], recorded.positions[step + s]);
      ASSERT_TRUE(std::ranges::equal(again.steps[s], recorded.steps[step + s],
                                     SameBatch))
          << "step " << step << " + " << s;
    }
  }
}

TEST_P(RandomStreamTest, TheCacheChangesNothing) {
  StreamOptions cached = options_;
  StreamOptions read = options_;
  cached.may_cache = true;
  read.may_cache = false;
  const auto a = OpenStream(files_, data_, cached);
  const auto b = OpenStream(files_, data_, read);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(a->position(), b->position());
    const std::optional<Batch> left = NextBatch(*a);
    const std::optional<Batch> right = NextBatch(*b);
    ASSERT_EQ(left.has_value(), right.has_value());
    if (!left.has_value()) break;
    ASSERT_TRUE(SameBatch(*left, *right)) << "batch " << i;
  }
}

TEST_P(RandomStreamTest, TheSlicesOfAllWorkersAreTheBatchOfOneDevice) {
  StreamOptions one = options_;
  one.serialized = false;
  one.context = {};
  const auto whole = OpenStream(files_, data_, one);
  const int workers = setting_.random() % 2 == 0 ? 2 : 4;
  std::vector<std::unique_ptr<Dataset>> parts;
  for (int worker = 0; worker < workers; ++worker) {
    StreamOptions part = one;
    part.context = {workers, worker, 4 / workers};
    parts.push_back(OpenStream(files_, data_, part));
  }
  for (int step = 0; step < 30; ++step) {
    const std::vector<int> expected = ReadNumbers(*whole, 1);
    std::vector<int> together;
    for (const auto& part : parts) {
      const std::vector<int> read = ReadNumbers(*part, 4 / workers);
      together.insert(together.end(), read.begin(), read.end());
    }
    ASSERT_EQ(together, expected) << "step " << step;
    if (expected.size() < static_cast<size_t>(data_.global_batch_size)) break;
    for (const auto& part : parts) {
      EXPECT_EQ(part->position(), whole->position());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, RandomStreamTest, ::testing::Range(0, 25));

TEST(ExampleStreamTest, WithoutShardingEveryWorkerReadsEverything) {
  const StreamFiles files({20});
  DataConfig data = files.Config(false);
  data.sharding = false;
  for (const int worker : {0, 1}) {
    const auto stream = OpenStream(files, data, {.context = {2, worker, 1}});
    EXPECT_EQ(ReadNumbers(*stream, 1), From0To(2));
    EXPECT_EQ(ReadNumbers(*stream).size(), 18u);
  }
}

TEST(ExampleStreamTest, StopsAtAnyMoment) {
  const StreamFiles files({50, 60, 70});
  for (int i = 0; i < 60; ++i) {
    DataConfig data = files.Config(i % 3 != 0);
    data.prefetch_buffer_size = 1 + i % 3;
    const auto stream = OpenStream(files, data, {.may_cache = i % 2 == 0});
    for (int left = i % 7; left > 0; --left) NextBatch(*stream);
  }
}

// Kilobytes of memory in use now.
int64_t ResidentKilobytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    int64_t kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
  }
  return -1;
}

TEST(ExampleStreamTest, MemoryStaysTheSameHoweverMuchIsRead) {
  const StreamFiles files(std::vector<int>(12, 4000));
  DataConfig data = files.Config(true);
  data.global_batch_size = 64;
  data.shuffle_buffer_size = 1000;
  const auto stream = OpenStream(files, data, {.may_cache = false});
  const auto read = [&](int batches) {
    Batch batch;
    for (; batches > 0; --batches) ASSERT_TRUE(*stream->Next(&batch));
  };
  read(1500);  // two epochs
  const int64_t before = ResidentKilobytes();
  read(3000);
  EXPECT_LT(ResidentKilobytes() - before, 8000) << "kilobytes, of " << before;
}

}  // namespace
}  // namespace rekindle

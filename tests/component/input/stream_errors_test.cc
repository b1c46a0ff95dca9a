#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "component/input/example_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/example/example.pb.h"
#include "tests/component/input/stream_files.h"

namespace rekindle {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The first error of a stream that has one; OK after the last batch.
absl::Status ErrorOf(Dataset& stream) {
  Batch batch;
  while (true) {
    const absl::StatusOr<bool> more = stream.Next(&batch);
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
  }
}

absl::Status ErrorOfOpening(const DataConfig& data,
                            const InputContext& context = {}) {
  return OpenExampleStream(data, std::nullopt, context, 0).status();
}

TEST(StreamErrorsTest, WhatCannotBeReadIsRefusedAtOnce) {
  const StreamFiles files({3});
  const auto error = [&](const std::function<void(DataConfig*)>& edit) {
    DataConfig data = files.Config(true);
    edit(&data);
    const absl::Status status = ErrorOfOpening(data);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(error([](DataConfig* d) { d->input_path.clear(); }),
              HasSubstr("input_path is empty"));
  EXPECT_THAT(error([](DataConfig* d) { d->global_batch_size = 0; }),
              HasSubstr("global_batch_size is 0; it must be 1 or more"));
  EXPECT_THAT(error([](DataConfig* d) { d->shuffle_buffer_size = -1; }),
              HasSubstr("shuffle_buffer_size is -1"));
  EXPECT_THAT(error([](DataConfig* d) { d->cycle_length = 0; }),
              HasSubstr("cycle_length is 0"));
  EXPECT_THAT(error([](DataConfig* d) { d->block_length = 0; }),
              HasSubstr("block_length is 0"));
  EXPECT_THAT(error([](DataConfig* d) { d->prefetch_buffer_size = 0; }),
              HasSubstr("prefetch_buffer_size is 0"));
  EXPECT_THAT(error([](DataConfig* d) { d->deterministic = false; }),
              HasSubstr("deterministic is false"));

  DataConfig none = files.Config(true);
  none.input_path.push_back("/no/such/file*");
  EXPECT_EQ(ErrorOfOpening(none).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(ErrorOfOpening(files.Config(true), {3, 0, 1}).message(),
              HasSubstr("global_batch_size is 4, which cannot be cut into "
                        "equal slices for 3 replicas"));
}

TEST(StreamErrorsTest, AnEmptySplitIsAnError) {
  const StreamFiles files({0, 0});
  for (const bool training : {true, false}) {
    const auto stream = OpenStream(files, files.Config(training));
    const absl::Status status = ErrorOf(*stream);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("there is no example in '"));
    EXPECT_EQ(ErrorOf(*stream), status);  // it stays
  }
}

TEST(StreamErrorsTest, AnExampleWithoutLabelIsNamedByFileAndRecord) {
  const StreamFiles files({40, 3});
  auto writer = OpenTfRecordWriter(files.path(1), TfRecordCompression::kGzip);
  ASSERT_TRUE(writer.ok());
  for (int i = 0; i < 50; ++i) {
    tensorflow::Example example;
    ASSERT_TRUE(example.ParseFromString(files.records()[0]));
    if (i == 37) example.mutable_features()->mutable_feature()->erase("label");
    ASSERT_TRUE((*writer)->Write(example.SerializeAsString()).ok());
  }
  ASSERT_TRUE((*writer)->Close().ok());
  for (const InputContext& context : {InputContext{1, 0, 1}, {1, 0, 4}}) {
    for (const bool cache : {true, false}) {
      const auto stream = OpenStream(files, files.Config(true),
                                     {.context = context, .may_cache = cache});
      const absl::Status status = ErrorOf(*stream);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(status.message(),
                  HasSubstr("data-01': record 37 (from 0): it has no label "
                            "'label'"));
    }
  }
}

TEST(StreamErrorsTest, APositionOfOtherFilesIsOutOfRange) {
  const StreamFiles files({10});
  const auto stream = OpenStream(files, files.Config(true));
  EXPECT_TRUE(stream->Seek({3, 10}).ok());
  const absl::Status status = stream->Seek({3, 11});
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(status.message(), HasSubstr("epoch 3 has 10 examples, not 11"));
  EXPECT_EQ(ErrorOf(*stream).code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(stream->Seek({0, 4}).ok());
  EXPECT_TRUE(NextBatch(*stream).has_value());
  EXPECT_EQ(OpenStream(files, files.Config(false))->Seek({1, 0}).code(),
            absl::StatusCode::kOutOfRange);
}

// Whatever becomes of the bytes, the answer is either all examples, or an
// error that names the file.
TEST(StreamErrorsTest, DamagedFilesAreDataLossAndNeverACrash) {
  const StreamFiles files({30, 30});
  std::mt19937_64 random(11);
  for (int i = 0; i < 120; ++i) {
    const size_t file = random() % 2;
    const std::string whole = ReadFile(files.path(file));
    std::string bytes = whole;
    const size_t at = random() % bytes.size();
    if (i % 3 == 0) {
      bytes.resize(at);
    } else {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
    }
    WriteFile(files.path(file), bytes);
    const auto stream = OpenStream(files, files.Config(false),
                                   {.may_cache = random() % 2 == 0});
    const absl::Status status = ErrorOf(*stream);
    WriteFile(files.path(file), whole);
    if (status.ok()) continue;
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(status.message(), HasSubstr(files.path(file)));
    EXPECT_THAT(status.message(), HasSubstr("record at offset "));
  }
}

TEST(StreamErrorsTest, BytesThatAreNoExampleNameFileAndRecord) {
  const StreamFiles files({5});
  auto writer = OpenTfRecordWriter(files.path(0), TfRecordCompression::kNone);
  ASSERT_TRUE(writer.ok() && (*writer)->Write("no example").ok() &&
              (*writer)->Close().ok());
  const absl::Status status = ErrorOf(*OpenStream(files, files.Config(false)));
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("data-00': record 0 (from 0)"));
}

}  // namespace
}  // namespace rekindle

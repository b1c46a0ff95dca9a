#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "component/records/crc32c.h"
#include "component/records/tfrecord_reader.h"
#include "component/records/tfrecord_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

std::string RandomBytes(std::mt19937& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(Crc32cTest, MatchesTheStandardsVectors) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, TheTableAndTheInstructionAgree) {
  std::mt19937 random(1);
  for (size_t size = 0; size < 100; ++size) {
    const std::string bytes = RandomBytes(random, size);
    EXPECT_EQ(Crc32c(bytes), Crc32cByTable(bytes)) << size;
  }
}

// Every case runs on plain and on gzip files.
class TfRecordTest : public ::testing::TestWithParam<TfRecordCompression> {
 protected:
  std::string Path() const { return folder_ / "records"; }

  void Write(const std::vector<std::string>& records) {
    auto writer = OpenTfRecordWriter(Path(), GetParam());
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const std::string& record : records) {
      ASSERT_TRUE((*writer)->Write(record).ok());
    }
    ASSERT_TRUE((*writer)->Close().ok());
  }

  // The records up to the end or to the first error, which `status` gets.
  std::vector<std::string> Read(absl::Status* status) {
    std::vector<std::string> records;
    auto reader = OpenTfRecordReader(Path());
    *status = reader.status();
    while (status->ok()) {
      const auto record = (*reader)->Next();
      *status = record.status();
      if (!record.ok() || !record->has_value()) break;
      records.emplace_back(**record);
    }
    return records;
  }

  std::string Bytes() const {
    std::ifstream file(Path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void SetBytes(const std::string& bytes) const {
    std::ofstream(Path(), std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  TempDir folder_;
};

TEST_P(TfRecordTest, RecordsOfAnySizeSurvive) {
  std::mt19937 random(2);
  std::vector<std::string> records;
  for (const size_t size : {0, 1, 7, 262'144, 3'000'000, 12}) {
    records.push_back(RandomBytes(random, size));
  }
  for (int i = 0; i < 500; ++i) {
    records.push_back(RandomBytes(random, random() % 3000));
  }
  Write(records);

  absl::Status status;
  EXPECT_EQ(Read(&status), records);
  EXPECT_TRUE(status.ok()) << status;
}

TEST_P(TfRecordTest, TheSameRecordsGiveTheSameBytes) {
  Write({"a", "bb", "ccc"});
  const std::string first = Bytes();
  Write({"a", "bb", "ccc"});
  EXPECT_EQ(Bytes(), first);
}

TEST_P(TfRecordTest, AFileWithoutRecordsHasNone) {
  Write({});
  absl::Status status;
  EXPECT_TRUE(Read(&status).empty());
  EXPECT_TRUE(status.ok()) << status;
}

TEST_P(TfRecordTest, AFlippedByteIsDataLossThatNamesTheFile) {
  std::mt19937 random(3);
  const std::vector<std::string> records = {RandomBytes(random, 40),
                                            RandomBytes(random, 40)};
  Write(records);
  const std::string intact = Bytes();
  const size_t gzip_header = GetParam() == TfRecordCompression::kGzip ? 10 : 0;
  for (size_t i = gzip_header; i < intact.size(); ++i) {
    std::string damaged = intact;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    SetBytes(damaged);
    absl::Status status;
    // Deflate pads its last byte with bits that mean nothing.
    if (Read(&status) == records && status.ok()) {
      EXPECT_EQ(GetParam(), TfRecordCompression::kGzip) << "byte " << i;
      continue;
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << "byte " << i;
    EXPECT_THAT(status.message(), HasSubstr(Path()));
  }
}

TEST_P(TfRecordTest, AFileCutShortIsDataLossAfterTheWholeRecords) {
  std::mt19937 random(4);
  const std::vector<std::string> records = {RandomBytes(random, 30),
                                            RandomBytes(random, 30)};
  Write(records);
  const std::string intact = Bytes();
  SetBytes(intact.substr(0, intact.size() - 20));
  absl::Status status;
  EXPECT_THAT(Read(&status), testing::ElementsAre(records[0]));
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("record at offset 46"));
}

INSTANTIATE_TEST_SUITE_P(Compression, TfRecordTest,
                         ::testing::Values(TfRecordCompression::kNone,
                                           TfRecordCompression::kGzip),
                         [](const auto& test) {
                           return test.param == TfRecordCompression::kNone
                                      ? "Plain"
                                      : "Gzip";
                         });

using PlainTfRecordTest = TfRecordTest;

TEST_P(PlainTfRecordTest, AFirstRecordWhoseLengthLooksLikeGzipIsPlain) {
  Write({std::string(0x88b1f, 'x')});
  ASSERT_EQ(Bytes().substr(0, 3), "\x1f\x8b\x08");
  absl::Status status;
  EXPECT_EQ(Read(&status).size(), 1u);
  EXPECT_TRUE(status.ok()) << status;
}

TEST_P(PlainTfRecordTest, AHugeLengthIsDataLossNotAnAllocation) {
  std::string length("\xff\xff\xff\xff\xff\xff\xff\x7f", 8);
  const uint32_t crc = MaskedCrc32c(length);
  SetBytes(length + std::string(reinterpret_cast<const char*>(&crc), 4));
  absl::Status status;
  Read(&status);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
}

TEST_P(PlainTfRecordTest, AMissingFileIsNotFound) {
  absl::Status status;
  Read(&status);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
}

TEST_P(PlainTfRecordTest, AFolderThatIsNotThereIsUnavailable) {
  EXPECT_EQ(OpenTfRecordWriter(Path() + "/none", GetParam()).status().code(),
            absl::StatusCode::kUnavailable);
}

INSTANTIATE_TEST_SUITE_P(Compression, PlainTfRecordTest,
                         ::testing::Values(TfRecordCompression::kNone));

}  // namespace
}  // namespace rekindle

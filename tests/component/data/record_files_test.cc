#include "component/data/record_files.h"

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "component/records/tfrecord_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using Records = std::vector<std::string>;

Records RandomRecords(unsigned seed, int count) {
  std::mt19937 random(seed);
  Records records;
  for (int i = 0; i < count; ++i) {
    std::string record(random() % 2000, '\0');
    for (char& c : record) c = static_cast<char>('a' + random() % 8);
    records.push_back(record);
  }
  return records;
}

Records ReadBack(const std::string& path) {
  const auto reader = OpenTfRecordReader(path);
  EXPECT_THAT(reader, IsOk());
  Records records;
  while (true) {
    const auto record = (*reader)->Next();
    EXPECT_THAT(record, IsOk());
    if (!record.ok() || !record->has_value()) return records;
    records.emplace_back(**record);
  }
}

// Writes records in turn into two files.
void WriteTwo(const Records& records, const std::string& a,
              const std::string& b, size_t threads) {
  const auto files = RecordFiles::Open({a, b}, threads);
  ASSERT_THAT(files, IsOk());
  for (size_t i = 0; i < records.size(); ++i) {
    ASSERT_THAT((*files)->Write(i % 3 == 0 ? 1 : 0, records[i]), IsOk());
  }
  ASSERT_THAT((*files)->Close(), IsOk());
}

TEST(RecordFilesTest, RecordsComeBackInTheirOrderWhateverTheThreads) {
  const TempDir dir;
  const Records records = RandomRecords(7, 12'000);  // several blocks a file
  WriteTwo(records, dir / "a1", dir / "b1", 1);
  WriteTwo(records, dir / "a3", dir / "b3", 3);
  Records first;
  Records second;
  for (size_t i = 0; i < records.size(); ++i) {
    (i % 3 == 0 ? second : first).push_back(records[i]);
  }
  EXPECT_EQ(ReadBack(dir / "a1"), first);
  EXPECT_EQ(ReadBack(dir / "b1"), second);
  EXPECT_EQ(*ReadFile(dir / "a1"), *ReadFile(dir / "a3"));
  EXPECT_EQ(*ReadFile(dir / "b1"), *ReadFile(dir / "b3"));
}

TEST(RecordFilesTest, AFileWithoutRecordsIsAnEmptyGzipFile) {
  const TempDir dir;
  WriteTwo({}, dir / "a", dir / "b", 2);
  EXPECT_TRUE(ReadBack(dir / "a").empty());
}

TEST(RecordFilesTest, AFullDiskIsAnError) {
  const auto files = RecordFiles::Open({"/dev/full"}, 1);
  EXPECT_THAT(files, StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace rekindle

#include "rekindle/training/summary_writer.h"

#include <csignal>
#include <filesystem>
#include <vector>

#include <sys/resource.h>

#include "component/records/tfrecord_reader.h"
#include "gtest/gtest.h"
#include "tensorflow/core/util/event.pb.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

// Files of this process cannot grow beyond some bytes: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().string());
  }
  return files;
}

TEST(SummaryWriterTest, TheFileIsWholeWhileItIsBeingWritten) {
  const TempDir folder;
  const auto writer = OpenSummaryWriter(folder / "a/train");
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Scalars(3, {{"loss", 0.5}}).ok());
  ASSERT_TRUE((*writer)->Flush().ok());

  const auto files = FilesIn(folder / "a/train");
  ASSERT_EQ(files.size(), 1u);
  const auto reader = OpenTfRecordReader(files[0]);
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<tensorflow::Event> events;
  for (auto record = (*reader)->Next(); record->has_value();
       record = (*reader)->Next()) {
    ASSERT_TRUE(events.emplace_back().ParseFromString(std::string(**record)));
  }
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[1].step(), 3);
  EXPECT_EQ(events[1].summary().value(0).simple_value(), 0.5f);
}

TEST(SummaryWriterTest, EachWriterHasAFileOfItsOwn) {
  const TempDir folder;
  ASSERT_TRUE(OpenSummaryWriter(folder / "run").ok());
  ASSERT_TRUE(OpenSummaryWriter(folder / "run").ok());
  EXPECT_EQ(FilesIn(folder / "run").size(), 2u);
}

TEST(SummaryWriterTest, AFullDiskIsSaid) {
  const TempDir folder;
  const auto writer = OpenSummaryWriter(folder / "run");
  ASSERT_TRUE(writer.ok()) << writer.status();
  const FullDisk full(4096);
  absl::Status status;
  for (int step = 0; step < 1000 && status.ok(); ++step) {
    status = (*writer)->Scalars(step, {{"loss", 0.5}});
    if (status.ok()) status = (*writer)->Flush();
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
}

TEST(SummaryWriterTest, AFolderThatCannotBeMadeIsSaid) {
  const TempDir folder;
  const std::string file = folder.Write("file", "");
  EXPECT_EQ(OpenSummaryWriter(file + "/train").status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace rekindle

#include "component/data/record_files.h"

#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/data/gzip_block.h"
#include "component/records/record_framing.h"

namespace rekindle {
namespace {

// Large enough that to compress blocks alone costs well under a percent.
constexpr size_t kBlockSize = 1 << 20;
// Blocks that wait beside those being compressed: enough to keep threads busy.
constexpr size_t kWaitingBlocks = 4;

}  // namespace

// One file: puts blocks, which come in any order, in their order. Thread-safe.
class RecordFiles::File {
 public:
  static absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                        S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    if (fd < 0) return ErrnoStatus(errno, "create", path);
    auto file = std::make_unique<File>(fd, path);
    RK_RETURN_IF_ERROR(WriteAll(fd, GzipHeader(), path));
    return file;
  }
  File(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(fd_); }

  // The place of the next block in this file.
  size_t NextIndex() { return submitted_++; }

  absl::Status Deliver(size_t index, GzipBlock block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(index, std::move(block));
    while (!waiting_.empty() && waiting_.begin()->first == written_) {
      RK_RETURN_IF_ERROR(Append(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
      ++written_;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Append(const GzipBlock& block) {
    trailer_.Add(block);
    RK_RETURN_IF_ERROR(WriteAll(fd_, block.bytes, path_));
    if (!block.last) return absl::OkStatus();
    return WriteAll(fd_, trailer_.Bytes(), path_);
  }

  const int fd_;
  const std::string path_;
  size_t submitted_ = 0;  // by the thread that writes records
  std::mutex mutex_;      // guards what follows
  std::map<size_t, GzipBlock> waiting_;
  size_t written_ = 0;
  GzipTrailer trailer_;
};

// The threads that compress. Thread-safe.
class RecordFiles::Pool {
 public:
  struct Job {
    File* file = nullptr;
    size_t index = 0;
    std::string content;
    bool last = false;
  };

  explicit Pool(size_t threads) {
    for (size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { Work(); });
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { Finish().IgnoreError(); }

  absl::Status Submit(Job job) {
    std::unique_lock<std::mutex> lock(mutex_);
    room_.wait(lock, [this] { return jobs_.size() < kWaitingBlocks; });
    jobs_.push_back(std::move(job));
    news_.notify_one();
    return status_;
  }

  // Lets the threads end when nothing is left to do, and waits for them.
  absl::Status Finish() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      finished_ = true;
    }
    news_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return status_;
  }

 private:
  // The next job; nullopt when there will be none.
  std::optional<Job> Take() {
    std::unique_lock<std::mutex> lock(mutex_);
    news_.wait(lock, [this] { return finished_ || !jobs_.empty(); });
    if (jobs_.empty()) return std::nullopt;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    room_.notify_one();
    return job;
  }

  void Work() {
    GzipBlockMaker maker;
    while (const std::optional<Job> job = Take()) {
      const absl::Status delivered =
          job->file->Deliver(job->index, maker.Make(job->content, job->last));
      const std::lock_guard<std::mutex> lock(mutex_);
      status_.Update(delivered);
    }
  }

  std::mutex mutex_;  // guards what follows, but the threads
  std::condition_variable room_;
  std::condition_variable news_;
  std::deque<Job> jobs_;
  bool finished_ = false;
  absl::Status status_;  // the first error
  std::vector<std::thread> threads_;
};

RecordFiles::RecordFiles() = default;
RecordFiles::~RecordFiles() = default;

absl::StatusOr<std::unique_ptr<RecordFiles>> RecordFiles::Open(
    const std::vector<std::string>& paths, size_t threads) {
  std::unique_ptr<RecordFiles> files(new RecordFiles());
  for (const std::string& path : paths) {
    RK_ASSIGN_OR_RETURN(std::unique_ptr<File> file, File::Open(path));
    files->files_.push_back(std::move(file));
  }
  files->blocks_.resize(paths.size());
  files->pool_ = std::make_unique<Pool>(threads);
  return files;
}

absl::Status RecordFiles::Write(size_t file, absl::string_view record) {
  std::string& block = blocks_[file];
  AppendFramedRecord(record, &block);
  if (block.size() < kBlockSize) return absl::OkStatus();
  return Submit(file, /*last=*/false);
}

absl::Status RecordFiles::Submit(size_t file, bool last) {
  Pool::Job job{files_[file].get(), files_[file]->NextIndex(),
                std::exchange(blocks_[file], {}), last};
  blocks_[file].reserve(last ? 0 : kBlockSize + kBlockSize / 8);
  return pool_->Submit(std::move(job));
}

absl::Status RecordFiles::Close() {
  for (size_t file = 0; file < files_.size(); ++file) {
    RK_RETURN_IF_ERROR(Submit(file, /*last=*/true));
  }
  return pool_->Finish();
}

}  // namespace rekindle

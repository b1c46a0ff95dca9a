#include "metadata/store/reader_pool.h"

#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "metadata/sqlite/transaction.h"

namespace rekindle {
namespace {

// Each has a cache of its own: more would only cost memory.
constexpr int kMaxReaders = 8;

absl::Status RunOn(Database& db, ReaderPool::Work work) {
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginRead(db));
  RK_RETURN_IF_ERROR(work(db));
  return transaction.Commit();
}

}  // namespace

ReaderPool::ReaderPool(std::unique_ptr<Database> first, Open open)
    : open_(std::move(open)) {
  if (first == nullptr) return;
  idle_.push_back(std::move(first));
  opened_ = 1;
}

absl::Status ReaderPool::Run(Work work) {
  RK_ASSIGN_OR_RETURN(std::unique_ptr<Database> reader, Take());
  absl::Status done = RunOn(*reader, work);
  GiveBack(std::move(reader));
  return done;
}

absl::StatusOr<std::unique_ptr<Database>> ReaderPool::Take() {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool in_time = has_room_.wait_until(
        lock, absl::ToChronoTime(CurrentDeadline()),
        [this] { return !idle_.empty() || opened_ < kMaxReaders; });
    if (!in_time) {
      return absl::DeadlineExceededError(
          "all readers of the metadata store are busy");
    }
    if (!idle_.empty()) {
      std::unique_ptr<Database> reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
    ++opened_;
  }
  absl::StatusOr<std::unique_ptr<Database>> reader = open_();
  if (!reader.ok()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    --opened_;
    has_room_.notify_one();
  }
  return reader;
}

void ReaderPool::GiveBack(std::unique_ptr<Database> reader) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(reader));
  has_room_.notify_one();
}

}  // namespace rekindle

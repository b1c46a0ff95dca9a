#include "metadata/store/reader_pool.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "metadata/sqlite/transaction.h"

namespace rekindle {
namespace {

// Each has a cache of its own: more would only cost memory.
constexpr int MaxReaders(ReaderLane lane) {
  return lane == ReaderLane::kGeneral ? 8 : 2;
}

absl::Status RunOn(Database& db, ReaderPool::Work work) {
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginRead(db));
  RK_RETURN_IF_ERROR(work(db));
  return transaction.Commit();
}

}  // namespace

ReaderPool::ReaderPool(std::unique_ptr<Database> first, Open open)
    : open_(std::move(open)) {
  if (first != nullptr) idle_.push_back(std::move(first));
}

absl::Status ReaderPool::Run(Work work) {
  const ReaderLane lane = CurrentReaderLane();
  RK_ASSIGN_OR_RETURN(std::unique_ptr<Database> reader, Take(lane));
  // Also when the work throws.
  const absl::Cleanup give_back = [&] { GiveBack(lane, std::move(reader)); };
  return RunOn(*reader, work);
}

absl::StatusOr<std::unique_ptr<Database>> ReaderPool::Take(ReaderLane lane) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    Lane& readers = lanes_[static_cast<size_t>(lane)];
    const bool in_time = readers.has_room.wait_until(
        lock, absl::ToChronoTime(CurrentDeadline()),
        [&] { return readers.busy < MaxReaders(lane); });
    if (!in_time) {
      return absl::DeadlineExceededError(
          "all readers of the metadata store are busy");
    }
    ++readers.busy;
    if (!idle_.empty()) {
      std::unique_ptr<Database> reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
  }
  absl::StatusOr<std::unique_ptr<Database>> reader = open_();
  if (!reader.ok()) GiveBack(lane, nullptr);
  return reader;
}

void ReaderPool::GiveBack(ReaderLane lane, std::unique_ptr<Database> reader) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (reader != nullptr) idle_.push_back(std::move(reader));
  Lane& readers = lanes_[static_cast<size_t>(lane)];
  --readers.busy;
  readers.has_room.notify_one();
}

}  // namespace rekindle

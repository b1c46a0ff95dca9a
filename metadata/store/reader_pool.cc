#include "metadata/store/reader_pool.h"

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
    absl::MutexLock lock(&mutex_);
    const auto has_room = [this] {
      mutex_.AssertHeld();
      return !idle_.empty() || opened_ < kMaxReaders;
    };
    if (!mutex_.AwaitWithDeadline(absl::Condition(&has_room),
                                  CurrentDeadline())) {
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
    absl::MutexLock lock(&mutex_);
    --opened_;
  }
  return reader;
}

void ReaderPool::GiveBack(std::unique_ptr<Database> reader) {
  absl::MutexLock lock(&mutex_);
  idle_.push_back(std::move(reader));
}

}  // namespace rekindle

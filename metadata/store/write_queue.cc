#include "metadata/store/write_queue.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "metadata/sqlite/transaction.h"

namespace rekindle {
namespace {

// How long a leader waits for as many others as there were the last time. They
// have just been answered and come again at once if they come at all.
constexpr std::chrono::microseconds kGathering(200);

// How many bytes of pages writers may share, with what was cached before. What
// the one who exceeds them writes is kept, too.
constexpr int64_t kMaxShared = 32 << 20;

// SQLite must not spill what may be taken back: a savepoint that is rolled back
// after that can leave frames without checksums in the log (see buffered_log).
class NoSpilling {
 public:
  explicit NoSpilling(Database& db) : db_(db) {
    db_.Execute("PRAGMA cache_spill = OFF").IgnoreError();
  }
  ~NoSpilling() { db_.Execute("PRAGMA cache_spill = ON").IgnoreError(); }
  NoSpilling(const NoSpilling&) = delete;
  NoSpilling& operator=(const NoSpilling&) = delete;

 private:
  Database& db_;
};

// For those whose work is undone with a member's. SQLite's reason to give up is
// theirs, too; the member's own is not.
absl::Status WhyNothingIsCommitted(const Database& db,
                                   const absl::Status& cause) {
  if (!db.in_transaction()) return cause;
  return absl::UnavailableError(
      "another write of the same commit could not be undone, so nothing was "
      "written; try again");
}

}  // namespace

absl::Status WriteQueue::Enqueue(Request request) {
  std::unique_lock<std::mutex> lock(mutex_);
  waiting_.push_back(&request);
  someone_came_.notify_one();
  batch_is_done_.wait(lock, [this, &request] {
    return request.done || (!led_ && waiting_.front() == &request);
  });
  if (request.done) return std::move(request.status);

  led_ = true;
  const Batch batch = TakeBatch(lock);
  lock.unlock();
  RunBatch(batch);
  lock.lock();
  for (Request* done : batch) done->done = true;
  led_ = false;
  writers_ = batch.size() + waiting_.size();
  batch_is_done_.notify_all();
  return std::move(request.status);
}

WriteQueue::Batch WriteQueue::TakeBatch(std::unique_lock<std::mutex>& lock) {
  const auto is_alone = [](const Request* each) { return each->alone; };
  if (waiting_.front()->alone) return TakeFirst(1);
  someone_came_.wait_for(lock, kGathering,
                         [this] { return waiting_.size() >= writers_; });
  const auto alone = std::find_if(waiting_.begin(), waiting_.end(), is_alone);
  return TakeFirst(alone - waiting_.begin());
}

WriteQueue::Batch WriteQueue::TakeFirst(size_t count) {
  const auto end = waiting_.begin() + static_cast<ptrdiff_t>(count);
  Batch batch(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  return batch;
}

void WriteQueue::RunBatch(absl::Span<Request* const> batch) {
  while (!batch.empty()) {
    size_t taken = batch.size();
    absl::Status committed;
    // Whoever throws, for want of memory for one, must not leave the others
    // waiting. The transaction has been rolled back.
    try {
      committed = RunInOneTransaction(batch, taken);
    } catch (const std::exception& thrown) {
      committed = absl::InternalError(
          absl::StrCat("a write threw an exception: ", thrown.what()));
    }
    for (Request* request : batch.first(taken)) {
      if (request->status.ok()) request->status = committed;
    }
    batch.remove_prefix(taken);
  }
}

absl::Status WriteQueue::RunInOneTransaction(absl::Span<Request* const> batch,
                                             size_t& taken) {
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginWrite(db_));
  if (batch.size() == 1) {
    RK_RETURN_IF_ERROR(batch.front()->work(db_));
  } else {
    RK_RETURN_IF_ERROR(RunShared(batch, taken));
  }
  return transaction.Commit();
}

absl::Status WriteQueue::RunShared(absl::Span<Request* const> batch,
                                   size_t& taken) {
  const NoSpilling no_spilling(db_);
  taken = 0;
  do {
    Request& request = *batch[taken++];
    SavepointEnd end = RunInSavepoint(db_, request.work);
    request.status = std::move(end.status);
    if (!end.intact) return WhyNothingIsCommitted(db_, request.status);
  } while (taken < batch.size() && db_.cache_bytes() < kMaxShared);
  return absl::OkStatus();
}

}  // namespace rekindle

#include "metadata/store/write_queue.h"

#include <chrono>
#include <utility>

#include "base/status_macros.h"
#include "metadata/sqlite/transaction.h"

namespace rekindle {
namespace {

// How long a leader waits for as many others as there were the last time. They
// have just been answered and come again at once if they come at all.
constexpr std::chrono::microseconds kGathering(200);

}  // namespace

absl::Status WriteQueue::Run(Work work) {
  Request request = {work};
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
  someone_came_.wait_for(lock, kGathering,
                         [this] { return waiting_.size() >= writers_; });
  return std::exchange(waiting_, {});
}

void WriteQueue::RunBatch(const Batch& batch) {
  const absl::Status committed = RunInOneTransaction(batch);
  if (committed.ok()) return;
  for (Request* request : batch) {
    if (request->status.ok()) request->status = committed;
  }
}

absl::Status WriteQueue::RunInOneTransaction(const Batch& batch) {
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginWrite(db_));
  if (batch.size() == 1) {
    RK_RETURN_IF_ERROR(batch.front()->work(db_));
    return transaction.Commit();
  }
  for (Request* request : batch) {
    request->status = RunInSavepoint(db_, request->work);
    if (!db_.in_transaction()) return request->status;
  }
  return transaction.Commit();
}

}  // namespace rekindle

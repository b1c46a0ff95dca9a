#include "metadata/store/write_queue.h"

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "base/status_macros.h"
#include "metadata/sqlite/transaction.h"

namespace rekindle {
namespace {

// How long a leader waits for as many others as there were the last time. They
// have just been answered and come again at once if they come at all.
constexpr absl::Duration kGathering = absl::Microseconds(200);

}  // namespace

absl::Status WriteQueue::Run(Work work) {
  Request request = {work};
  Batch batch;
  {
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(&request);
    const auto is_my_turn = [this, &request] {
      mutex_.AssertHeld();
      return request.done || (!led_ && waiting_.front() == &request);
    };
    mutex_.Await(absl::Condition(&is_my_turn));
    if (request.done) return std::move(request.status);
    led_ = true;
    batch = TakeBatch();
  }
  RunBatch(batch);
  absl::MutexLock lock(&mutex_);
  for (Request* done : batch) done->done = true;
  led_ = false;
  writers_ = batch.size() + waiting_.size();
  return std::move(request.status);
}

WriteQueue::Batch WriteQueue::TakeBatch() {
  const auto all_came = [this] {
    mutex_.AssertHeld();
    return waiting_.size() >= writers_;
  };
  mutex_.AwaitWithTimeout(absl::Condition(&all_came), kGathering);
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

// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_WRITE_QUEUE_H_
#define REKINDLE_METADATA_STORE_WRITE_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Lets many threads write through one connection. What they ask for at the same
// time goes into one transaction, so that they share the cost of making it
// durable; each is still whole or not at all, whatever the others do.
//
// Whoever comes first leads: it runs everybody's work and wakes them up when it
// is committed. A lone writer does not wait for others. Work that is shared
// stays in memory until it is committed; large work should be run alone.
// Thread-safe.
class WriteQueue {
 public:
  using Work = absl::FunctionRef<absl::Status(Database&)>;

  // `db` is not owned and must outlive the queue, which has it for itself.
  explicit WriteQueue(Database& db) : db_(db) {}

  // Runs `work`, maybe on another caller's thread. OK means it is durable;
  // after an error nothing it did remains.
  //
  //   ABORTED  another process held the database for too long
  absl::Status Run(Work work) { return Enqueue({work, /*alone=*/false}); }

  // The same, in a transaction of its own, of any size.
  absl::Status RunAlone(Work work) { return Enqueue({work, /*alone=*/true}); }

 private:
  struct Request {
    Work work;
    bool alone = false;
    absl::Status status = absl::OkStatus();
    bool done = false;
  };
  using Batch = std::vector<Request*>;

  absl::Status Enqueue(Request request);
  Batch TakeBatch(std::unique_lock<std::mutex>& lock);
  Batch TakeFirst(size_t count);
  void RunBatch(absl::Span<Request* const> batch);
  // Sets `taken` to how many of the batch it was about; its result is theirs.
  absl::Status RunInOneTransaction(absl::Span<Request* const> batch,
                                   size_t& taken);
  absl::Status RunShared(absl::Span<Request* const> batch, size_t& taken);

  Database& db_;  // the leader's
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::condition_variable someone_came_;
  std::condition_variable batch_is_done_;
  Batch waiting_;
  bool led_ = false;
  // How many writers there seemed to be when the last batch was done.
  size_t writers_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_WRITE_QUEUE_H_

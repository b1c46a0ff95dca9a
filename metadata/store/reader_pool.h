// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_READER_POOL_H_
#define REKINDLE_METADATA_STORE_READER_POOL_H_

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/api/reader_lane.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Connections for reading, opened when they are needed and kept. A long listing
// does not keep others, or a writer, waiting; and no work in one lane
// (metadata/api/reader_lane.h) keeps those in another waiting. Thread-safe.
class ReaderPool {
 public:
  using Work = absl::FunctionRef<absl::Status(Database&)>;
  using Open = std::function<absl::StatusOr<std::unique_ptr<Database>>()>;

  // `first`, which may be null, is a connection to begin with.
  ReaderPool(std::unique_ptr<Database> first, Open open);

  // Runs `work` on one unchanging view of the database. Waits while all
  // connections of this thread's lane are in use.
  absl::Status Run(Work work);

 private:
  // What is in use of a lane.
  struct Lane {
    int busy = 0;
    std::condition_variable has_room;
  };

  absl::StatusOr<std::unique_ptr<Database>> Take(ReaderLane lane);
  void GiveBack(ReaderLane lane, std::unique_ptr<Database> reader);

  const Open open_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::array<Lane, kReaderLanes> lanes_;
  std::vector<std::unique_ptr<Database>> idle_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_READER_POOL_H_

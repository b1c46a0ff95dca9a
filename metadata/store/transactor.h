// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_TRANSACTOR_H_
#define REKINDLE_METADATA_STORE_TRANSACTOR_H_

#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// Runs units of work on a database, each as one transaction. Thread-safe.
class Transactor {
 public:
  explicit Transactor(std::unique_ptr<Database> db) : db_(std::move(db)) {}

  // Runs `work` and commits; if it fails, nothing it did remains. `work` must
  // bear to be run on a fresh answer.
  //
  //   PERMISSION_DENIED  the store is open read-only
  //   ABORTED            another process held the database for too long
  template <typename Answer>
  absl::StatusOr<Answer> Write(
      absl::FunctionRef<absl::Status(Database&, Answer&)> work) {
    Answer answer;
    RK_RETURN_IF_ERROR(
        RunWrite([&](Database& db) { return work(db, answer); }));
    return answer;
  }

  // Runs `work` on one unchanging view of the database.
  template <typename Answer>
  absl::StatusOr<Answer> Read(
      absl::FunctionRef<absl::Status(Database&, Answer&)> work) {
    Answer answer;
    RK_RETURN_IF_ERROR(RunRead([&](Database& db) { return work(db, answer); }));
    return answer;
  }

 private:
  using Work = absl::FunctionRef<absl::Status(Database&)>;
  absl::Status RunWrite(Work work);
  absl::Status RunRead(Work work);

  absl::Mutex mutex_;
  std::unique_ptr<Database> db_ ABSL_PT_GUARDED_BY(mutex_);
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_TRANSACTOR_H_

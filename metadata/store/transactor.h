// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_TRANSACTOR_H_
#define REKINDLE_METADATA_STORE_TRANSACTOR_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/open_files.h"
#include "metadata/store/reader_pool.h"
#include "metadata/store/write_queue.h"

namespace rekindle {

// Runs units of work on a database, each as one transaction. Thread-safe.
class Transactor {
 public:
  // `open_reader` opens more connections to the database at `path`; without it,
  // as for one in memory, `db` is the only one.
  Transactor(std::unique_ptr<Database> db, ReaderPool::Open open_reader,
             const std::string& path);

  // Whether there is but one connection, to a database in memory.
  bool in_memory() const { return !readers_.has_value(); }

  // Runs `work` and commits; if it fails, nothing it did remains.
  //
  //   PERMISSION_DENIED  the store is open read-only
  //   ABORTED            another process held the database for too long
  //   UNAVAILABLE        the database's files were deleted or replaced
  template <typename Answer>
  absl::StatusOr<Answer> Write(
      absl::FunctionRef<absl::Status(Database&, Answer&)> work) {
    Answer answer;
    RK_RETURN_IF_ERROR(
        RunWrite([&](Database& db) { return work(db, answer); }));
    return answer;
  }

  // The same, for work of any size: it shares its transaction with no other.
  template <typename Answer>
  absl::StatusOr<Answer> WriteAlone(
      absl::FunctionRef<absl::Status(Database&, Answer&)> work) {
    Answer answer;
    RK_RETURN_IF_ERROR(
        RunAlone([&](Database& db) { return work(db, answer); }));
    return answer;
  }

  // Runs `work` on one unchanging view of the database.
  //
  //   UNAVAILABLE  the database's files were deleted or replaced
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
  absl::Status RunAlone(Work work);
  absl::Status RunRead(Work work);
  absl::Status CheckWritable() const;

  const OpenFiles files_;
  std::unique_ptr<Database> writer_;   // null if read-only
  std::optional<WriteQueue> writes_;   // on `writer_`
  std::optional<ReaderPool> readers_;  // none if there is but one connection
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_TRANSACTOR_H_

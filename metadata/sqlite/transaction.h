#ifndef REKINDLE_METADATA_SQLITE_TRANSACTION_H_
#define REKINDLE_METADATA_SQLITE_TRANSACTION_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/sqlite/database.h"

namespace rekindle {

// A transaction on a connection, rolled back on destruction unless committed.
// Transactions do not nest.
class Transaction {
 public:
  // Takes the write lock at once, so that what is read inside stays true until
  // the commit.
  //
  //   ABORTED  another writer held the lock for too long
  static absl::StatusOr<Transaction> BeginWrite(Database& db);

  // Sees one state of the database throughout, whatever others write.
  static absl::StatusOr<Transaction> BeginRead(Database& db);

  Transaction(Transaction&& other) noexcept : db_(other.db_) {
    other.db_ = nullptr;
  }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  // Makes the changes durable. After an error they are rolled back.
  absl::Status Commit();

 private:
  explicit Transaction(Database& db) : db_(&db) {}

  Database* db_;  // not owned; null once committed
};

// How a part of a transaction ended.
struct SavepointEnd {
  absl::Status status;
  // Whether the transaction can go on. If not, SQLite has given it up, or what
  // the part did could not be undone: it must not be committed.
  bool intact = true;
};

// Runs `work` inside the open transaction; if it fails, nothing it did remains.
SavepointEnd RunInSavepoint(Database& db,
                            absl::FunctionRef<absl::Status(Database&)> work);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_TRANSACTION_H_

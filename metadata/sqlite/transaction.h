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

// Runs `work` inside the open transaction; if it fails, nothing it did remains
// and the transaction goes on. Unless SQLite has given up the transaction as a
// whole: see Database::in_transaction.
absl::Status RunInSavepoint(Database& db,
                            absl::FunctionRef<absl::Status(Database&)> work);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_TRANSACTION_H_

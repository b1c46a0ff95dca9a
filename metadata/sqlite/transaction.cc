#include "metadata/sqlite/transaction.h"

#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

absl::Status RunOnce(Database& db, absl::string_view sql) {
  RK_ASSIGN_OR_RETURN(Statement statement, db.Prepare(sql));
  return statement.Run();
}

}  // namespace

absl::StatusOr<Transaction> Transaction::BeginWrite(Database& db) {
  RK_RETURN_IF_ERROR(RunOnce(db, "BEGIN IMMEDIATE"));
  return Transaction(db);
}

absl::StatusOr<Transaction> Transaction::BeginRead(Database& db) {
  RK_RETURN_IF_ERROR(RunOnce(db, "BEGIN DEFERRED"));
  return Transaction(db);
}

Transaction::~Transaction() {
  // Fails only when SQLite has rolled back already, after a full disk for one.
  if (db_ != nullptr) RunOnce(*db_, "ROLLBACK").IgnoreError();
}

absl::Status Transaction::Commit() {
  RK_RETURN_IF_ERROR(RunOnce(*db_, "COMMIT"));
  db_ = nullptr;
  return absl::OkStatus();
}

absl::Status RunInSavepoint(Database& db,
                            absl::FunctionRef<absl::Status(Database&)> work) {
  RK_RETURN_IF_ERROR(RunOnce(db, "SAVEPOINT rk"));
  absl::Status done = work(db);
  if (done.ok()) return RunOnce(db, "RELEASE rk");
  if (db.in_transaction()) {
    RK_RETURN_IF_ERROR(RunOnce(db, "ROLLBACK TO rk"));
    RK_RETURN_IF_ERROR(RunOnce(db, "RELEASE rk"));
  }
  return done;
}

}  // namespace rekindle

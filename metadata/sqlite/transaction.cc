#include "metadata/sqlite/transaction.h"

#include <utility>

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
  // Before: the lock must not be taken by a statement that is then interrupted.
  db.set_writing(true);
  absl::Status begun = RunOnce(db, "BEGIN IMMEDIATE");
  if (begun.ok()) return Transaction(db);
  db.set_writing(false);
  return begun;
}

absl::StatusOr<Transaction> Transaction::BeginRead(Database& db) {
  RK_RETURN_IF_ERROR(RunOnce(db, "BEGIN DEFERRED"));
  return Transaction(db);
}

Transaction::~Transaction() {
  // Fails only when SQLite has rolled back already, after a full disk for one.
  if (db_ == nullptr) return;
  RunOnce(*db_, "ROLLBACK").IgnoreError();
  db_->set_writing(false);
}

absl::Status Transaction::Commit() {
  RK_RETURN_IF_ERROR(RunOnce(*db_, "COMMIT"));
  db_->set_writing(false);
  db_ = nullptr;
  return absl::OkStatus();
}

SavepointEnd RunInSavepoint(Database& db,
                            absl::FunctionRef<absl::Status(Database&)> work) {
  absl::Status status = RunOnce(db, "SAVEPOINT rk");
  if (!status.ok()) return {std::move(status), /*intact=*/false};
  status = work(db);
  absl::Status closed;
  if (!status.ok()) closed = RunOnce(db, "ROLLBACK TO rk");
  if (closed.ok()) closed = RunOnce(db, "RELEASE rk");
  // The first cause is the one to tell.
  if (status.ok()) status = closed;
  return {std::move(status), /*intact=*/closed.ok()};
}

}  // namespace rekindle

#include "metadata/store/transactor.h"

#include "metadata/sqlite/transaction.h"

namespace rekindle {

absl::Status Transactor::RunWrite(Work work) {
  absl::MutexLock lock(&mutex_);
  if (db_->read_only()) {
    return absl::PermissionDeniedError("the metadata store is open read-only");
  }
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginWrite(*db_));
  RK_RETURN_IF_ERROR(work(*db_));
  return transaction.Commit();
}

absl::Status Transactor::RunRead(Work work) {
  absl::MutexLock lock(&mutex_);
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginRead(*db_));
  RK_RETURN_IF_ERROR(work(*db_));
  return transaction.Commit();
}

}  // namespace rekindle

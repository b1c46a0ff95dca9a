#include "metadata/store/sqlite_step_store.h"

#include "base/status_macros.h"
#include "metadata/sqlite/store_id.h"
#include "metadata/store/delete_rows.h"
#include "metadata/store/verify.h"

namespace rekindle {

absl::StatusOr<v1::IdentifyResponse> SqliteStepStore::Identify(
    const v1::IdentifyRequest& /*request*/) {
  return transactor_.Read<v1::IdentifyResponse>(
      [](Database& db, v1::IdentifyResponse& response) -> absl::Status {
        RK_ASSIGN_OR_RETURN(*response.mutable_store_id(), FindStoreId(db));
        return absl::OkStatus();
      });
}

absl::StatusOr<v1::VerifyResponse> SqliteStepStore::Verify(
    const v1::VerifyRequest& request) {
  return transactor_.Read<v1::VerifyResponse>(
      [&](Database& db, v1::VerifyResponse& response) {
        return VerifyStore(db, request, clock_.NowMillis(), response);
      });
}

absl::StatusOr<v1::DeleteResponse> SqliteStepStore::Delete(
    const v1::DeleteRequest& request) {
  v1::DeleteResponse gone;
  absl::StatusOr<v1::DeleteResponse> deleted =
      transactor_.WriteAlone<v1::DeleteResponse>(
          [&](Database& db, v1::DeleteResponse& response) -> absl::Status {
            RK_RETURN_IF_ERROR(
                DeleteNodes(db, request, clock_.NowMillis(), response));
            gone = response;
            return request.dry_run() ? absl::CancelledError()
                                     : absl::OkStatus();
          });
  // A dry run does it all and takes it back.
  if (request.dry_run() && absl::IsCancelled(deleted.status())) return gone;
  return deleted;
}

}  // namespace rekindle

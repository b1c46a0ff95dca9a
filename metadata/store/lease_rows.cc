#include "metadata/store/lease_rows.h"

#include "base/status_macros.h"

namespace rekindle {

absl::StatusOr<std::optional<Lease>> FindLease(Database& db,
                                               int64_t execution_id) {
  RK_ASSIGN_OR_RETURN(Statement row,
                      db.Prepare("SELECT token, expires_millis FROM rk_lease "
                                 "WHERE execution_id = ?"));
  row.Bind(execution_id);
  RK_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return std::nullopt;
  return Lease{row.Int(0), row.Int(1)};
}

absl::Status PutLease(Database& db, int64_t execution_id, const Lease& lease) {
  RK_ASSIGN_OR_RETURN(
      Statement put,
      db.Prepare("INSERT OR REPLACE INTO rk_lease (execution_id, token, "
                 "expires_millis) VALUES (?, ?, ?)"));
  put.Bind(execution_id, lease.token, lease.expires_millis);
  return put.Run();
}

absl::Status DeleteLease(Database& db, int64_t execution_id) {
  RK_ASSIGN_OR_RETURN(
      Statement remove,
      db.Prepare("DELETE FROM rk_lease WHERE execution_id = ?"));
  remove.Bind(execution_id);
  return remove.Run();
}

}  // namespace rekindle

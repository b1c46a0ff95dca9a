#include "metadata/store/work_rows.h"

#include "base/status_macros.h"

namespace rekindle {

absl::StatusOr<std::optional<Work>> FindWork(Database& db,
                                             const std::string& key) {
  RK_ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare("SELECT execution_id, token FROM rk_work WHERE work_key = ?"));
  row.Bind(key);
  RK_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return std::nullopt;
  return Work{row.Int(0), row.Int(1)};
}

absl::Status PutWork(Database& db, const std::string& key, const Work& work) {
  RK_ASSIGN_OR_RETURN(
      Statement put,
      db.Prepare("INSERT OR REPLACE INTO rk_work (work_key, execution_id, "
                 "token) VALUES (?, ?, ?)"));
  put.Bind(key, work.execution_id, work.token);
  return put.Run();
}

absl::Status DeleteWorkOf(Database& db, int64_t execution_id) {
  RK_ASSIGN_OR_RETURN(Statement remove,
                      db.Prepare("DELETE FROM rk_work WHERE execution_id = ?"));
  remove.Bind(execution_id);
  return remove.Run();
}

}  // namespace rekindle

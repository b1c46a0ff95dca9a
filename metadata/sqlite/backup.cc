#include "metadata/sqlite/backup.h"

#include <memory>
#include <sqlite3.h>

#include "absl/strings/str_cat.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "metadata/sqlite/sqlite_status.h"
#include "metadata/sqlite/store_id.h"

namespace rekindle {
namespace {

// A quarter of a megabyte between two calls of `progress`.
constexpr int kPagesPerStep = 64;

struct FinishBackup {
  void operator()(sqlite3_backup* backup) const {
    sqlite3_backup_finish(backup);
  }
};

absl::Status CopyPages(
    Database& from, Database& into, const std::string& path,
    absl::FunctionRef<absl::Status(int64_t, int64_t)> progress) {
  const std::unique_ptr<sqlite3_backup, FinishBackup> backup(
      sqlite3_backup_init(into.handle(), "main", from.handle(), "main"));
  const std::string doing = absl::StrCat("cannot copy the database to ", path);
  if (backup == nullptr) return SqliteStatus(into.handle(), doing);
  RK_ASSIGN_OR_RETURN(const int64_t page_size,
                      from.QueryInt("PRAGMA page_size"));
  while (true) {
    const int result = sqlite3_backup_step(backup.get(), kPagesPerStep);
    if (result == SQLITE_DONE) return absl::OkStatus();
    if (result != SQLITE_OK) {
      return SqliteCodeStatus(result, doing);
    }
    const int64_t total = sqlite3_backup_pagecount(backup.get());
    const int64_t left = sqlite3_backup_remaining(backup.get());
    RK_RETURN_IF_ERROR(progress((total - left) * page_size, total * page_size));
  }
}

}  // namespace

absl::Status BackUp(
    Database& db, const std::string& path,
    absl::FunctionRef<absl::Status(int64_t done, int64_t total)> progress) {
  // The transaction's view of the database begins with the first read; without
  // one, every step would see another, and begin again.
  RK_RETURN_IF_ERROR(
      db.QueryInt("SELECT count(*) FROM sqlite_master").status());
  {
    RK_ASSIGN_OR_RETURN(const std::unique_ptr<Database> copy,
                        Database::Open(path, Database::Mode::kCreate));
    // Nobody sees the file before it is complete, and then it is flushed once.
    RK_RETURN_IF_ERROR(copy->Execute("PRAGMA journal_mode = OFF"));
    RK_RETURN_IF_ERROR(copy->Execute("PRAGMA synchronous = OFF"));
    RK_RETURN_IF_ERROR(CopyPages(db, *copy, path, progress));
  }
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Database> copy,
                      Database::Open(path, Database::Mode::kReadWrite));
  RK_RETURN_IF_ERROR(copy->Execute("PRAGMA journal_mode = DELETE"));
  // Whoever opens it, and be it in the place of the original, is another store.
  RK_RETURN_IF_ERROR(DropStoreId(*copy));
  return SyncTree(path);
}

}  // namespace rekindle

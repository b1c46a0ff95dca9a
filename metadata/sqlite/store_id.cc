#include "metadata/sqlite/store_id.h"

#include <cstdint>
#include <fcntl.h>
#include <string>

#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/name_suffix.h"
#include "base/status_macros.h"
#include "metadata/sqlite/schema.h"
#include "metadata/sqlite/transaction.h"

namespace rekindle {
namespace {

// What tells a file from its copies. Zero is what nobody knows: of a database
// in memory all of it, of some file systems the time of birth.
struct FileIdentity {
  int64_t inode = 0;
  int64_t born_nanos = 0;
};

FileIdentity IdentityOf(const std::string& path) {
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  struct statx file {};
  if (statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &file) != 0) {
    return {};
  }
  FileIdentity identity;
  identity.inode = static_cast<int64_t>(file.stx_ino);
  if ((file.stx_mask & STATX_BTIME) != 0) {
    identity.born_nanos =
        file.stx_btime.tv_sec * kNanosPerSecond + file.stx_btime.tv_nsec;
  }
  return identity;
}

bool MayBeSame(const FileIdentity& a, const FileIdentity& b) {
  const bool both_born = a.born_nanos != 0 && b.born_nanos != 0;
  return a.inode == b.inode && (!both_born || a.born_nanos == b.born_nanos);
}

absl::StatusOr<bool> HasIdOf(Database& db, const FileIdentity& file) {
  RK_ASSIGN_OR_RETURN(const bool has, HasTable(db, kStoreTable));
  if (!has) return false;
  RK_ASSIGN_OR_RETURN(
      Statement row,
      db.Prepare(absl::StrCat("SELECT inode, born_nanos FROM ", kStoreTable)));
  RK_ASSIGN_OR_RETURN(const bool found, row.Step());
  return found && MayBeSame(file, {row.Int(0), row.Int(1)});
}

absl::Status PutStoreId(Database& db, const FileIdentity& file) {
  RK_RETURN_IF_ERROR(db.Execute(absl::StrCat(
      "CREATE TABLE IF NOT EXISTS ", kStoreTable,
      " (id TEXT NOT NULL, inode INTEGER NOT NULL, born_nanos INTEGER NOT "
      "NULL);"
      "DELETE FROM ",
      kStoreTable)));
  RK_ASSIGN_OR_RETURN(Statement put,
                      db.Prepare(absl::StrCat("INSERT INTO ", kStoreTable,
                                              " VALUES (?, ?, ?)")));
  put.Bind(absl::StrCat(RandomNameSuffix(), RandomNameSuffix()), file.inode,
           file.born_nanos);
  return put.Run();
}

}  // namespace

absl::Status EnsureStoreId(Database& db, const std::string& path) {
  const FileIdentity file = IdentityOf(path);
  RK_ASSIGN_OR_RETURN(bool has, HasIdOf(db, file));
  if (has) return absl::OkStatus();
  // Two processes that start together give it one.
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginWrite(db));
  RK_ASSIGN_OR_RETURN(has, HasIdOf(db, file));
  if (has) return absl::OkStatus();
  RK_RETURN_IF_ERROR(PutStoreId(db, file));
  return transaction.Commit();
}

absl::StatusOr<std::string> FindStoreId(Database& db) {
  RK_ASSIGN_OR_RETURN(const bool has, HasTable(db, kStoreTable));
  if (!has) return "";
  RK_ASSIGN_OR_RETURN(Statement row,
                      db.Prepare(absl::StrCat("SELECT id FROM ", kStoreTable)));
  RK_ASSIGN_OR_RETURN(const bool found, row.Step());
  return found ? std::string(row.Text(0)) : "";
}

absl::Status DropStoreId(Database& db) {
  return db.Execute(absl::StrCat("DROP TABLE IF EXISTS ", kStoreTable));
}

}  // namespace rekindle

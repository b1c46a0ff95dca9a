#include "metadata/sqlite/sqlite_status.h"

#include <cerrno>
#include <sqlite3.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

// SQLite itself takes only ENOSPC for a full disk. What else there is it leaves
// in errno: sqlite3_system_errno() is not set by a failed COMMIT.
bool IsOutOfRoom(int extended) {
  if (extended == SQLITE_FULL) return true;
  const bool is_write =
      extended == SQLITE_IOERR_WRITE || extended == SQLITE_IOERR_FSYNC;
  return is_write && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG);
}

absl::StatusCode CodeFor(int extended) {
  if (IsOutOfRoom(extended)) return absl::StatusCode::kResourceExhausted;
  switch (extended & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::StatusCode::kAborted;
    case SQLITE_INTERRUPT:
      return absl::StatusCode::kDeadlineExceeded;
    case SQLITE_CONSTRAINT:
      return extended == SQLITE_CONSTRAINT_UNIQUE ||
                     extended == SQLITE_CONSTRAINT_PRIMARYKEY
                 ? absl::StatusCode::kAlreadyExists
                 : absl::StatusCode::kInvalidArgument;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return absl::StatusCode::kPermissionDenied;
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
      return absl::StatusCode::kDataLoss;
    case SQLITE_NOTADB:
      return absl::StatusCode::kFailedPrecondition;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status SqliteStatus(sqlite3* db, absl::string_view doing) {
  const int extended = sqlite3_extended_errcode(db);
  const absl::StatusCode code = CodeFor(extended);
  if (code == absl::StatusCode::kAborted) {
    return absl::AbortedError(
        "the metadata database is locked: another process has been writing to "
        "it for too long; nothing was changed, try again");
  }
  if (IsOutOfRoom(extended)) {
    return absl::ResourceExhaustedError(
        "there is no room for the metadata database: its disk or quota is "
        "full; nothing was changed, free some space and try again");
  }
  if ((extended & 0xff) == SQLITE_NOTADB) {
    return absl::FailedPreconditionError(
        "the file is not a SQLite database; name a metadata database, or a new "
        "file to create one");
  }
  if ((extended & 0xff) == SQLITE_CORRUPT) {
    return absl::DataLossError(
        absl::StrCat("the metadata database is damaged (", sqlite3_errmsg(db),
                     "); restore it from a backup"));
  }
  return {code, absl::StrCat(doing, ": ", sqlite3_errmsg(db))};
}

absl::Status SqliteCodeStatus(int result, absl::string_view doing) {
  return {CodeFor(result), absl::StrCat(doing, ": ", sqlite3_errstr(result))};
}

}  // namespace rekindle

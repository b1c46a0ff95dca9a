#include "metadata/sqlite/sqlite_status.h"

#include <sqlite3.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

absl::StatusCode CodeFor(int primary, int extended) {
  switch (primary) {
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
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CORRUPT:
    case SQLITE_IOERR:
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
  return {CodeFor(extended & 0xff, extended),
          absl::StrCat(doing, ": ", sqlite3_errmsg(db))};
}

}  // namespace rekindle

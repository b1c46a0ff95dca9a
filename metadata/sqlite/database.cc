#include "metadata/sqlite/database.h"

#include <algorithm>
#include <sqlite3.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "metadata/sqlite/buffered_log.h"
#include "metadata/sqlite/sqlite_status.h"

namespace rekindle {
namespace {

// How long a writer waits for another one before it gives up with ABORTED.
constexpr int kBusyTimeoutMillis = 10'000;

// How often a reader looks at its deadline: about every millisecond.
constexpr int kInstructionsBetweenChecks = 10'000;

// Whether the statement under way is to be interrupted, with DEADLINE_EXCEEDED.
int GiveUp(void* database) {
  return DeadlinePassed() && !static_cast<Database*>(database)->writing();
}

int FlagsFor(Database::Mode mode) {
  switch (mode) {
    case Database::Mode::kCreate:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Database::Mode::kReadWrite:
      return SQLITE_OPEN_READWRITE;
    case Database::Mode::kReadOnly:
      return SQLITE_OPEN_READONLY;
  }
  return SQLITE_OPEN_READONLY;
}

// SQLite's statistics of its memory cost every allocation a lock that all
// connections share. Has no effect once somebody has opened a database.
void TurnOffMemoryStatistics() {
  static const int ignored = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(ignored);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(
    const std::string& path, Mode mode) {
  TurnOffMemoryStatistics();
  sqlite3* db = nullptr;
  // Each connection is used by one thread at a time, so SQLite's own mutexes
  // would only cost.
  const int result = sqlite3_open_v2(
      path.c_str(), &db,
      FlagsFor(mode) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      BufferedLogVfs());
  std::unique_ptr<Database> opened(new Database(db, mode == Mode::kReadOnly));
  if (result != SQLITE_OK) return SqliteStatus(db, "cannot open the file");
  sqlite3_busy_timeout(db, kBusyTimeoutMillis);
  sqlite3_progress_handler(db, kInstructionsBetweenChecks, GiveUp,
                           opened.get());
  return opened;
}

Database::~Database() {
  for (auto& [sql, statements] : idle_) {
    for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
  }
  for (sqlite3_stmt* statement : recent_) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

absl::StatusOr<Statement> Database::Prepare(absl::string_view sql) {
  std::vector<sqlite3_stmt*>& home = idle_[sql];
  if (!home.empty()) {
    sqlite3_stmt* cached = home.back();
    home.pop_back();
    return Statement(cached, &home);
  }
  RK_ASSIGN_OR_RETURN(sqlite3_stmt * stmt, Compile(sql));
  return Statement(stmt, &home);
}

absl::StatusOr<Statement> Database::PrepareForNow(absl::string_view sql) {
  constexpr size_t kKept = 32;
  const auto found = std::find_if(
      recent_.begin(), recent_.end(),
      [sql](sqlite3_stmt* stmt) { return sqlite3_sql(stmt) == sql; });
  if (found != recent_.end()) {
    sqlite3_stmt* const recent = *found;
    recent_.erase(found);
    return Statement(recent, &recent_);
  }
  if (recent_.size() >= kKept) {
    sqlite3_finalize(recent_.front());
    recent_.erase(recent_.begin());
  }
  RK_ASSIGN_OR_RETURN(sqlite3_stmt * stmt, Compile(sql));
  return Statement(stmt, &recent_);
}

absl::StatusOr<sqlite3_stmt*> Database::Compile(absl::string_view sql) {
  sqlite3_stmt* stmt = nullptr;
  const int result =
      sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &stmt, /*pzTail=*/nullptr);
  if (result != SQLITE_OK) return SqliteStatus(db_, sql);
  return stmt;
}

absl::Status Database::Execute(const std::string& script) {
  const int result =
      sqlite3_exec(db_, script.c_str(), nullptr, nullptr, nullptr);
  return result == SQLITE_OK ? absl::OkStatus() : SqliteStatus(db_, script);
}

absl::StatusOr<int64_t> Database::QueryInt(absl::string_view sql) {
  RK_ASSIGN_OR_RETURN(Statement query, PrepareForNow(sql));
  RK_ASSIGN_OR_RETURN(const bool found, query.Step());
  return found ? query.Int(0) : 0;
}

int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(db_);
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(db_) == 0;
}

int64_t Database::cache_bytes() const {
  int bytes = 0;
  int highest = 0;
  sqlite3_db_status(db_, SQLITE_DBSTATUS_CACHE_USED, &bytes, &highest,
                    /*resetFlg=*/0);
  return bytes;
}

int64_t Database::changes() const { return sqlite3_changes64(db_); }

}  // namespace rekindle

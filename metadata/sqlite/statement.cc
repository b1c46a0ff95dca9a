#include "metadata/sqlite/statement.h"

#include <sqlite3.h>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "metadata/sqlite/sqlite_status.h"

namespace rekindle {

Statement::Statement(Statement&& other) noexcept
    : stmt_(std::exchange(other.stmt_, nullptr)),
      home_(other.home_),
      bind_failed_(other.bind_failed_),
      next_(other.next_) {}

Statement::~Statement() {
  if (stmt_ == nullptr) return;
  Reset();
  home_->push_back(stmt_);
}

absl::StatusOr<bool> Statement::Step() {
  if (bind_failed_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a value is too large for the database: ", sqlite3_sql(stmt_)));
  }
  const int result = sqlite3_step(stmt_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return SqliteStatus(sqlite3_db_handle(stmt_), sqlite3_sql(stmt_));
}

absl::Status Statement::Run() { return Step().status(); }

void Statement::Reset() {
  sqlite3_reset(stmt_);
  sqlite3_clear_bindings(stmt_);
  next_ = 1;
  bind_failed_ = false;
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(stmt_, column) == SQLITE_NULL;
}

bool Statement::IsText(int column) const {
  return sqlite3_column_type(stmt_, column) == SQLITE_TEXT;
}

int64_t Statement::Int(int column) const {
  return sqlite3_column_int64(stmt_, column);
}

double Statement::Double(int column) const {
  return sqlite3_column_double(stmt_, column);
}

absl::string_view Statement::Text(int column) const {
  const void* bytes = sqlite3_column_blob(stmt_, column);
  const int size = sqlite3_column_bytes(stmt_, column);
  return {static_cast<const char*>(bytes), static_cast<size_t>(size)};
}

void Statement::BindInt(int64_t value) {
  Note(sqlite3_bind_int64(stmt_, next_++, value));
}

void Statement::BindDouble(double value) {
  Note(sqlite3_bind_double(stmt_, next_++, value));
}

// SQLite copies the bytes: the caller's string may be gone by the next step.
void Statement::BindText(absl::string_view value) {
  const char* bytes = value.empty() ? "" : value.data();
  Note(sqlite3_bind_text64(stmt_, next_++, bytes, value.size(),
                           SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::BindNull() { Note(sqlite3_bind_null(stmt_, next_++)); }

void Statement::Note(int bind_result) {
  if (bind_result != SQLITE_OK) bind_failed_ = true;
}

}  // namespace rekindle

#ifndef REKINDLE_METADATA_SQLITE_DATABASE_H_
#define REKINDLE_METADATA_SQLITE_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "metadata/sqlite/statement.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rekindle {

// A connection to a SQLite file, and the statements prepared on it.
// Thread-compatible: one thread at a time.
class Database {
 public:
  enum class Mode { kCreate, kReadWrite, kReadOnly };

  // Opens the file at `path`; ":memory:" is one in memory. Reads and writes
  // nothing yet, but for creating an empty file in mode kCreate.
  //
  //   PERMISSION_DENIED  the file cannot be opened
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path,
                                                        Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Prepares `sql`, or takes it from the cache.
  absl::StatusOr<Statement> Prepare(absl::string_view sql);

  // Prepares SQL that is put together from a user's words, of which there is no
  // end: only the latest few are kept.
  absl::StatusOr<Statement> PrepareForNow(absl::string_view sql);

  // Runs statements that take no parameters and return no rows.
  absl::Status Execute(const std::string& script);

  // The integer that a query of one row and one column returns, 0 for no row.
  absl::StatusOr<int64_t> QueryInt(absl::string_view sql);

  // The id of the row inserted last.
  int64_t last_insert_id() const;

  // How many rows the last statement changed.
  int64_t changes() const;

  // Whether a transaction is open. One that failed in a way SQLite cannot mend,
  // for want of space for one, is not.
  bool in_transaction() const;

  // What its cache of pages takes, those of the open transaction included.
  int64_t cache_bytes() const;

  bool read_only() const { return read_only_; }

  // A write that has begun is finished, whatever the deadline: a writer also
  // does the work of others, who may have more time. Until its end has been
  // answered, for SQLite asks once more after a COMMIT has taken effect.
  bool writing() const { return writing_; }
  void set_writing(bool writing) { writing_ = writing; }

  // For what SQLite can do beyond statements. Not to be closed.
  sqlite3* handle() { return db_; }

 private:
  explicit Database(sqlite3* db, bool read_only)
      : db_(db), read_only_(read_only) {}
  absl::StatusOr<sqlite3_stmt*> Compile(absl::string_view sql);

  sqlite3* db_;  // owned
  bool read_only_;
  bool writing_ = false;
  // Idle statements by their SQL. Node-based: Statements keep pointers to the
  // lists.
  absl::node_hash_map<std::string, std::vector<sqlite3_stmt*>> idle_;
  std::vector<sqlite3_stmt*> recent_;  // idle ones, the latest last
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SQLITE_DATABASE_H_

#include "tests/histories/transactions.h"

#include <fstream>
#include <functional>
#include <memory>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "tests/histories/world.h"

namespace rekindle::histories {
namespace {

using Kind = Record::Kind;
using Row = std::function<void(sqlite3_stmt*)>;

// Small pages, so that little data is many of them. The last row of `tally` is
// the sum of the others: every transaction changes two rows of it.
constexpr char kTables[] = R"sql(
PRAGMA page_size = 512;
PRAGMA journal_mode = WAL;
CREATE TABLE part (
  tx INTEGER NOT NULL,
  number INTEGER NOT NULL,
  parts INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tx, number)
);
CREATE TABLE tally (writer INTEGER PRIMARY KEY, parts INTEGER NOT NULL);
INSERT INTO tally VALUES (-1, 0);
)sql";

std::string Body(int64_t transaction, int number) {
  Chance chance(transaction * 1000 + number);
  const int size = chance.Below(400);
  return {std::string(size, static_cast<char>('a' + chance.Below(26)))};
}

int64_t WriterOf(int64_t transaction) { return transaction >> 16; }

int ForEachRow(sqlite3* db, const std::string& sql, const Row& row) {
  sqlite3_stmt* query = nullptr;
  int result = sqlite3_prepare_v2(db, sql.c_str(), -1, &query, nullptr);
  while (result == SQLITE_OK && (result = sqlite3_step(query)) == SQLITE_ROW) {
    row(query);
    result = SQLITE_OK;
  }
  const int finalized = sqlite3_finalize(query);
  return finalized != SQLITE_OK || result == SQLITE_DONE ? finalized : result;
}

int CountInTally(sqlite3* db, int64_t transaction, const std::string& by) {
  return Run(db, absl::StrCat("INSERT INTO tally VALUES (",
                              WriterOf(transaction), ", ", by, "), (-1, ", by,
                              ") ON CONFLICT DO UPDATE SET "
                              "parts = parts + excluded.parts"));
}

std::string Slurp(const std::string& path) {
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using Connection = std::unique_ptr<sqlite3, CloseDatabase>;

Connection OpenPlain(const std::string& path) {
  sqlite3* db = nullptr;
  sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                  nullptr);
  return Connection(db);
}

std::string WrongBodies(sqlite3* db) {
  std::string wrong;
  ForEachRow(db, "SELECT tx, number, body FROM part", [&](sqlite3_stmt* row) {
    const int64_t transaction = sqlite3_column_int64(row, 0);
    const int number = sqlite3_column_int(row, 1);
    const auto* const text =
        reinterpret_cast<const char*>(sqlite3_column_text(row, 2));
    if (text != Body(transaction, number)) {
      wrong = absl::StrCat("part ", number, " of transaction ", transaction,
                           " is not what was written");
    }
  });
  return wrong;
}

}  // namespace

int Run(sqlite3* db, const std::string& sql) {
  return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
}

std::string MakeDatabase(const std::string& path) {
  Run(OpenPlain(path).get(), kTables);
  return Slurp(path);
}

int InsertParts(sqlite3* db, int64_t transaction, int parts) {
  for (int number = 0; number < parts; ++number) {
    const int inserted = Run(
        db, absl::StrCat("INSERT INTO part VALUES (", transaction, ", ", number,
                         ", ", parts, ", '", Body(transaction, number), "')"));
    if (inserted != SQLITE_OK) return inserted;
  }
  return CountInTally(db, transaction, absl::StrCat(parts));
}

int DeleteParts(sqlite3* db, int64_t transaction) {
  const std::string where = absl::StrCat(" FROM part WHERE tx = ", transaction);
  const int counted = CountInTally(
      db, transaction, absl::StrCat("(SELECT -count(*)", where, ")"));
  return counted != SQLITE_OK ? counted
                              : Run(db, absl::StrCat("DELETE", where));
}

Expectations::Expectations(const Journal& journal, uint64_t until) {
  for (uint64_t position = 0; position < until;) {
    const Record record = journal.Read(position);
    if (record.kind == Kind::kMayChange) {
      states_[record.number] = {true, true};
    } else if (record.kind == Kind::kPresent) {
      states_[record.number] = {true, false};
    } else if (record.kind == Kind::kAbsent) {
      states_[record.number] = {false, true};
    }
  }
}

void Expectations::Loosen(const Journal& journal, uint64_t from,
                          uint64_t until) {
  for (uint64_t position = from; position < until;) {
    const Record record = journal.Read(position);
    if (record.kind >= Kind::kMayChange && record.kind <= Kind::kAbsent) {
      states_[record.number] = {true, true};
    }
  }
}

std::string Expectations::Check(const std::set<int64_t>& found) const {
  for (const int64_t transaction : found) {
    const auto state = states_.find(transaction);
    if (state == states_.end() || !state->second.may_be_present) {
      return absl::StrCat("transaction ", transaction,
                          " is there, but was never committed or is deleted");
    }
  }
  for (const auto& [transaction, state] : states_) {
    if (!state.may_be_absent && found.count(transaction) == 0) {
      return absl::StrCat("transaction ", transaction,
                          " was acknowledged and is lost");
    }
  }
  return "";
}

int ReadState(sqlite3* db, std::set<int64_t>& found, std::string& wrong) {
  int64_t parts = 0;
  const int read = ForEachRow(
      db, "SELECT tx, count(*), max(parts) FROM part GROUP BY tx",
      [&](sqlite3_stmt* row) {
        found.insert(sqlite3_column_int64(row, 0));
        parts += sqlite3_column_int64(row, 1);
        if (sqlite3_column_int64(row, 1) == sqlite3_column_int64(row, 2))
          return;
        wrong = absl::StrCat("transaction ", sqlite3_column_int64(row, 0),
                             " is there in part");
      });
  if (read != SQLITE_OK) return read;
  return ForEachRow(db,
                    "SELECT sum(parts) FILTER (WHERE writer >= 0), "
                    "sum(parts) FILTER (WHERE writer < 0) FROM tally",
                    [&](sqlite3_stmt* row) {
                      if (sqlite3_column_int64(row, 0) == parts &&
                          sqlite3_column_int64(row, 1) == parts) {
                        return;
                      }
                      wrong = "the tally does not agree with the parts";
                    });
}

std::string CheckFiles(const std::string& path,
                       const Expectations& expectations) {
  const Connection db = OpenPlain(path);
  std::string integrity = "no answer";
  ForEachRow(db.get(), "PRAGMA integrity_check", [&](sqlite3_stmt* row) {
    integrity = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
  });
  if (integrity != "ok") return absl::StrCat("damaged: ", integrity);
  std::set<int64_t> found;
  std::string wrong;
  if (ReadState(db.get(), found, wrong) != SQLITE_OK) {
    return absl::StrCat("unreadable: ", sqlite3_errmsg(db.get()));
  }
  if (wrong.empty()) wrong = WrongBodies(db.get());
  return wrong.empty() ? expectations.Check(found) : wrong;
}

}  // namespace rekindle::histories

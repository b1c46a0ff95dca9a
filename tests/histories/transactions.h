// The transactions of a history: what they write, and what a database must
// hold of them.
#ifndef REKINDLE_TESTS_HISTORIES_TRANSACTIONS_H_
#define REKINDLE_TESTS_HISTORIES_TRANSACTIONS_H_

#include <cstdint>
#include <map>
#include <set>
#include <sqlite3.h>
#include <string>

#include "tests/histories/journal.h"

namespace rekindle::histories {

// Makes an empty database with the tables, in write-ahead mode; returns its
// bytes.
std::string MakeDatabase(const std::string& path);

// Runs SQL without results; SQLite's code.
int Run(sqlite3* db, const std::string& sql);

// Inserts the `parts` rows of a transaction, inside the open one of SQLite.
int InsertParts(sqlite3* db, int64_t transaction, int parts);

// Deletes all its rows, likewise.
int DeleteParts(sqlite3* db, int64_t transaction);

// What the records up to some moment say of each transaction. What they do not
// mention must not be there.
class Expectations {
 public:
  Expectations(const Journal& journal, uint64_t until);

  // Anything that the records after `from` and up to `until` mention may be
  // there or not.
  void Loosen(const Journal& journal, uint64_t from, uint64_t until);

  // What is wrong with these transactions; empty if nothing.
  std::string Check(const std::set<int64_t>& found) const;

 private:
  struct State {
    bool may_be_present = false;
    bool may_be_absent = true;
  };
  std::map<int64_t, State> states_;
};

// Reads the whole database, which must be one of the states that transactions
// leave behind. Sets `found` to those that are there. Returns SQLite's code;
// `wrong` says what contradicts itself.
int ReadState(sqlite3* db, std::set<int64_t>& found, std::string& wrong);

// The same, with SQLite's own check and a look at every byte, of the files at
// `path`. Returns what is wrong, empty if nothing.
std::string CheckFiles(const std::string& path,
                       const Expectations& expectations);

}  // namespace rekindle::histories

#endif  // REKINDLE_TESTS_HISTORIES_TRANSACTIONS_H_

#ifndef REKINDLE_TESTS_SOAK_SERVED_DATABASE_H_
#define REKINDLE_TESTS_SOAK_SERVED_DATABASE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/subprocess.h"

namespace rekindle::soak {

// A running `rekindle serve`. Thread-compatible.
class ServedDatabase {
 public:
  // Starts the program `rekindle` on the file `db`, without waiting for it.
  static absl::StatusOr<std::unique_ptr<ServedDatabase>> Start(
      const std::string& rekindle, const std::string& db);

  // Waits until it listens; its address, "127.0.0.1:41235".
  //
  //   INTERNAL  it ended instead; with what it said
  absl::StatusOr<std::string> WaitUntilListening();

  // kill -9, and the end of the process.
  void Kill();

  // SIGTERM.
  //
  //   INTERNAL  it did not exit with 0
  absl::Status Stop();

 private:
  explicit ServedDatabase(std::unique_ptr<Subprocess> process)
      : process_(std::move(process)) {}

  std::unique_ptr<Subprocess> process_;
};

// PRAGMA integrity_check on a connection of its own.
//
//   DATA_LOSS  it found something
absl::Status CheckIntegrity(const std::string& db);

// Breaks the database as a store would that loses a write: deletes a random row
// of `table`.
absl::Status LoseRow(const std::string& db, const std::string& table);

}  // namespace rekindle::soak

#endif  // REKINDLE_TESTS_SOAK_SERVED_DATABASE_H_

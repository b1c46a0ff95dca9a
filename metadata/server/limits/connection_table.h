// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_LIMITS_CONNECTION_TABLE_H_
#define REKINDLE_METADATA_SERVER_LIMITS_CONNECTION_TABLE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/server/limits/client_budget.h"

namespace rekindle {

// The connections that were handed to a library which closes them without a
// word. Whether one is still open is found out when it matters: a descriptor is
// the same connection as long as its socket is the same inode. That costs no
// second descriptor. Thread-safe.
class ConnectionTable {
 public:
  // `clock` is not owned and must outlive the table.
  ConnectionTable(ClientBudget::Limits limits, const Clock& clock)
      : budget_(limits), clock_(clock) {}

  // Counts the connection at `fd`, which must be the caller's still, from this
  // address and port. False if its client, or all together, have as many as
  // they may.
  bool Add(int fd, const std::string& client, int port = 0);

  // How many are open.
  int open();
  // How many were refused so far.
  int64_t refused() const { return refusals_; }

  // Ends the connection from this address and port, in both directions, if it
  // is open. Who owns it closes it.
  void Cut(const std::string& client, int port);

 private:
  struct Connection {
    int fd;
    std::string client;
    int port;
    ino_t inode;
    ClientBudget::Share share;
  };

  // Forgets those that were closed.
  void Sweep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TryAdd(int fd, const std::string& client, int port)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ClientBudget budget_;
  const Clock& clock_;
  mutable absl::Mutex mutex_;
  absl::Time swept_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::vector<Connection> connections_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int64_t> refusals_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_LIMITS_CONNECTION_TABLE_H_

#include "metadata/server/limits/connection_table.h"

#include <algorithm>
#include <fcntl.h>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace rekindle {
namespace {

// Looking at a thousand descriptors takes less than a millisecond, which many
// refused connections must not cost each.
constexpr absl::Duration kBetweenSweeps = absl::Milliseconds(10);

// nullopt if nothing is open at `fd`.
std::optional<ino_t> InodeOf(int fd) {
  struct stat found = {};
  if (fstat(fd, &found) != 0) return std::nullopt;
  return found.st_ino;
}

// Ends the connection if `fd` is still the one that it was. Looks at a
// descriptor of its own, which nobody else can close meanwhile.
void CutSocket(int fd, ino_t inode) {
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return;
  if (InodeOf(own) == inode) shutdown(own, SHUT_RDWR);
  close(own);
}

}  // namespace

bool ConnectionTable::Add(int fd, const std::string& client, int port) {
  const absl::MutexLock lock(&mutex_);
  if (TryAdd(fd, client, port)) return true;
  if (clock_.Now() - swept_ >= kBetweenSweeps) {
    Sweep();
    if (TryAdd(fd, client, port)) return true;
  }
  ++refusals_;
  return false;
}

int ConnectionTable::open() {
  const absl::MutexLock lock(&mutex_);
  Sweep();
  return static_cast<int>(connections_.size());
}

void ConnectionTable::Cut(const std::string& client, int port) {
  const absl::MutexLock lock(&mutex_);
  for (const Connection& each : connections_) {
    if (each.port == port && each.client == client) {
      CutSocket(each.fd, each.inode);
    }
  }
}

void ConnectionTable::Sweep() {
  swept_ = clock_.Now();
  std::vector<Connection> open;
  for (Connection& each : connections_) {
    if (InodeOf(each.fd) == each.inode) open.push_back(std::move(each));
  }
  connections_ = std::move(open);
}

bool ConnectionTable::TryAdd(int fd, const std::string& client, int port) {
  const std::optional<ino_t> inode = InodeOf(fd);
  if (!inode.has_value()) return false;
  std::optional<ClientBudget::Share> share = budget_.Take(client);
  if (!share.has_value()) return false;
  connections_.push_back({fd, client, port, *inode, *std::move(share)});
  return true;
}

}  // namespace rekindle

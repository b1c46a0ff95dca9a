// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_ACCEPTOR_H_
#define REKINDLE_METADATA_SERVER_ACCEPTOR_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "base/event_fd.h"
#include "base/unique_fd.h"

namespace rekindle {

// Takes connections of a port, also when the process has no descriptors left:
// one is kept in reserve, and a connection that only this one could hold is
// closed at once. Thread-safe.
class Acceptor {
 public:
  // A connection. `client` is its IP address, "127.0.0.1" or "::1"; an IPv4
  // address that came over IPv6 is the IPv4 address. `port` is the client's.
  struct Connection {
    UniqueFd fd;  // does not block, closed on exec, without Nagle's delay
    std::string client;
    int port = 0;
  };
  using Take = std::function<void(Connection connection)>;

  // Listens on `host` and `port` (0 is any) from now on; connections wait until
  // Start().
  //
  //   UNAVAILABLE, INVALID_ARGUMENT, PERMISSION_DENIED  as ListenOn
  static absl::StatusOr<std::unique_ptr<Acceptor>> Listen(
      const std::string& host, int port);

  ~Acceptor();

  int port() const { return port_; }
  // The IP address that it listens on, or one of them.
  const std::string& address() const { return address_; }

  // Calls `take` with each connection, on a thread of its own. Once.
  void Start(Take take);

  // Listens no more. `take` is not called any longer when it returns.
  void Stop();

 private:
  Acceptor(std::vector<UniqueFd> listeners, int port);

  void Run();
  // All that wait at a listener.
  void AcceptFrom(int listener);
  void DropOne(int listener);
  void Pause();

  const int port_;
  const std::string address_;
  std::vector<UniqueFd> listeners_;
  UniqueFd reserve_;
  EventFd stopped_;
  Take take_;
  std::thread thread_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCEPTOR_H_

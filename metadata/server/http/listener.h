// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_LISTENER_H_
#define REKINDLE_METADATA_SERVER_HTTP_LISTENER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/unique_fd.h"

namespace rekindle::http {

// Sockets that connections are taken from, never waiting. Thread-compatible.
class Listener {
 public:
  // What taking a connection came to.
  struct Taken {
    enum class State {
      kOne,            // `fd`, which does not block
      kNone,           // none is there
      kNoDescriptors,  // one is there, but the process may open no more
    };
    State state = State::kNone;
    UniqueFd fd = UniqueFd();
    std::string address = {};  // of the other end, without its port
  };

  //   UNAVAILABLE, INVALID_ARGUMENT, PERMISSION_DENIED  as ListenOn
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const std::string& host,
                                                        int port);

  const std::vector<UniqueFd>& fds() const { return fds_; }
  int port() const { return port_; }

  Taken Take();
  // Takes one with the descriptor that is kept for this and closes it, so that
  // it does not wait for ever.
  void TurnAway();

 private:
  Listener(std::vector<UniqueFd> fds, int port);

  const std::vector<UniqueFd> fds_;
  const int port_;
  UniqueFd reserve_;
};

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_LISTENER_H_

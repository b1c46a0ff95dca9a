// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_FRONT_H_
#define REKINDLE_METADATA_SERVER_HTTP_FRONT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/api/tls_files.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"
#include "metadata/server/peer.h"

namespace rekindle::http {

// Who does a request.
enum class Lane {
  kAtOnce,  // the thread that all connections share: it must not wait
  kStatus,  // threads for questions about the server itself; as above, they may
            // come by any name of the server, as probes' do
  kReads,   // threads for what may take long and have large answers
  kCalls,   // the threads for all others
};

// What answers requests.
class Handler {
 public:
  virtual ~Handler() = default;

  // Both on the thread that all connections share, so they must not wait.
  virtual Lane LaneOf(const Head& head) const = 0;
  // Why a request of the lanes kReads and kCalls is not taken, as far as its
  // headers show: its body is not read then.
  virtual std::optional<Refusal> Judge(const Head&, const Peer&) {
    return std::nullopt;
  }

  // On a thread of the lane.
  virtual Answer Handle(Request request) = 0;
};

struct FrontOptions {
  std::string host;
  int port = 0;  // 0 is any
  TlsFiles tls = {};
  // By which names it may be called, besides `host`, localhost, addresses and
  // those of its certificate.
  std::vector<std::string> allowed_hosts = {};
  Limits limits = {};
};

// Stands between clients and a handler: takes their connections, reads what
// they send within the limits and gives the handler whole requests. One thread
// serves all connections, so none of them can hold up another by being slow.
// Thread-safe.
class Front {
 public:
  virtual ~Front() = default;

  virtual int port() const = 0;

  // Takes no more connections, finishes the requests that are complete, or are
  // within a moment, and closes what is open at `deadline`. A call that runs
  // then is waited for.
  virtual void Stop(absl::Time deadline) = 0;
};

// `handler` and `clock` are not owned and must outlive the front.
//
//   UNAVAILABLE, INVALID_ARGUMENT, PERMISSION_DENIED  as ListenOn
//   INVALID_ARGUMENT  the TLS files cannot be used
absl::StatusOr<std::unique_ptr<Front>> StartFront(const FrontOptions& options,
                                                  Handler& handler,
                                                  const Clock& clock);

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_FRONT_H_

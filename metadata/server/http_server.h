// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_SERVER_H_
#define REKINDLE_METADATA_SERVER_HTTP_SERVER_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "metadata/api/open_store.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_runner.h"
#include "metadata/server/metadata_server.h"

namespace rekindle {

// The store's calls as HTTP and JSON, and what tells how the server is
// (docs/server.md). Thread-safe.
class HttpServer {
 public:
  virtual ~HttpServer() = default;

  virtual int port() const = 0;

  // From now on it refuses calls that have not begun.
  virtual void Drain() = 0;
  // Listens no more, waits until `deadline` for the requests under way and
  // closes what is open then.
  virtual void Stop(absl::Time deadline) = 0;
};

// OK, or why the server as a whole is not ready.
using Ready = std::function<absl::Status()>;

// Serves from now on. `store`, `calls` and `gate` are not owned and must
// outlive the server, and so must what `ready` asks.
//
//   UNAVAILABLE, INVALID_ARGUMENT, PERMISSION_DENIED  as StartMetadataServer
absl::StatusOr<std::unique_ptr<HttpServer>> StartHttpServer(
    Store& store, CallRunner& calls, CallGate& gate, Ready ready,
    const ServerOptions& options);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_HTTP_SERVER_H_

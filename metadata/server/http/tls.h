// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_TLS_H_
#define REKINDLE_METADATA_SERVER_HTTP_TLS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/unique_fd.h"
#include "metadata/api/tls_files.h"
#include "metadata/server/http/transport.h"

namespace rekindle::http {

// The server's side of TLS 1.2 and 1.3. With a `ca` a certificate that a client
// shows must be signed by it; a client that shows none is let in, because
// probes have none, and has no name. Files that are replaced are read anew
// within some seconds. Thread-compatible.
class TlsServer {
 public:
  virtual ~TlsServer() = default;

  // The socket does not block; the handshake is part of reading.
  // Null if there is no memory for it.
  virtual std::unique_ptr<Transport> Accept(UniqueFd fd) = 0;

  // Whether the server's certificate is for this host.
  virtual bool IsFor(const std::string& host) const = 0;
};

// `clock` is not owned and must outlive the server.
//
//   INVALID_ARGUMENT  the files cannot be used
absl::StatusOr<std::unique_ptr<TlsServer>> MakeTlsServer(const TlsFiles& files,
                                                         const Clock& clock);

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_TLS_H_

#ifndef REKINDLE_METADATA_SERVER_METADATA_SERVER_H_
#define REKINDLE_METADATA_SERVER_METADATA_SERVER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "metadata/api/open_store.h"
#include "metadata/api/tls_files.h"

namespace rekindle {

struct ServerOptions {
  // An address of this machine. By default only this machine is served.
  std::string host = "127.0.0.1";
  // 0 is any port that is free.
  int grpc_port = 8080;
  // Without one there is no HTTP.
  std::optional<int> http_port = std::nullopt;

  // With a certificate both ports are encrypted, and with a `ca` clients must
  // show a certificate of theirs; not for health and metrics over HTTP.
  TlsFiles tls = {};

  // By which names HTTP may be called besides `host`, localhost, addresses and
  // those of the certificate; others could be pages in a browser
  // (docs/server.md).
  std::vector<std::string> http_allowed_hosts = {};

  // Who may call (docs/server.md), read anew when it changes; without one all
  // who can connect may do everything.
  std::string token_file = {};
  // Serve others than this machine although neither a token file nor a
  // certificate of the client's keeps anyone from writing.
  bool insecure = false;
  // Where a line goes for every write and every refusal; "-" is the standard
  // output, and nothing none.
  std::string audit_log = {};

  // How large one message may be, either way; a larger one is
  // RESOURCE_EXHAUSTED.
  int max_message_bytes = 64 << 20;
  // How many of ML Metadata's calls run or wait for the store at once over
  // gRPC; one more is RESOURCE_EXHAUSTED. Steps' calls have places of their
  // own.
  int max_calls = 256;
  // The same for copies of the store and loads (Backup, Export, Load).
  int max_streams = 8;

  // How long one call may take; one that reads longer is DEADLINE_EXCEEDED. A
  // write that has begun is finished.
  absl::Duration max_call_time = absl::Minutes(1);

  // How long one of those may take, and how long any call waits for a client
  // that takes no answer or sends no more of its request.
  absl::Duration max_stream_time = absl::Hours(1);
  absl::Duration max_stall_time = absl::Seconds(30);
  // How much a copy or a load may put aside on the disk of TMPDIR; all of them
  // together have twice as much.
  int64_t max_spool_bytes = int64_t{4} << 30;

  // How many connections of each port there may be, in all and from one
  // address; one more is closed at once, or over HTTP one that is idle instead.
  // 0 is what the limit on open files leaves room for.
  int max_connections = 0;
  int max_connections_per_client = 0;

  // For /metrics: the file behind the store, if there is one, and what this
  // program calls itself.
  std::string database_file = {};
  std::string version = {};
};

// A store on the network, ML Metadata's service and the steps': over gRPC, with
// gRPC's health service beside them, and over HTTP with JSON (docs/server.md).
// Serves from its construction on. A call whose client has stopped waiting
// before its turn came is not begun. Thread-safe.
class MetadataServer {
 public:
  virtual ~MetadataServer() = default;

  // The ports it listens on; 0 for HTTP when there is none.
  virtual int grpc_port() const = 0;
  virtual int http_port() const = 0;

  // Takes no more calls and waits for those under way; after `grace` clients
  // wait no longer. While it waits it says that it is not ready. A
  // write that was answered is kept in any case.
  virtual void Shutdown(absl::Duration grace) = 0;
};

// `store` is not owned and must outlive the server.
//
//   UNAVAILABLE          a port is taken
//   INVALID_ARGUMENT     the host is no address of this machine; the TLS files
//                        or the token file cannot be used; everybody could
//                        write, and the options do not say `insecure`
//   FAILED_PRECONDITION  others may write the token file
//   PERMISSION_DENIED    a port is reserved
//   NOT_FOUND            a file is not there
absl::StatusOr<std::unique_ptr<MetadataServer>> StartMetadataServer(
    Store& store, const ServerOptions& options = {});

// "HOST:PORT", with the brackets that an IPv6 address needs.
std::string HostAndPort(const std::string& host, int port);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_METADATA_SERVER_H_

#ifndef REKINDLE_METADATA_SERVER_METADATA_SERVER_H_
#define REKINDLE_METADATA_SERVER_METADATA_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "metadata/api/open_store.h"

namespace rekindle {

struct ServerOptions {
  // Port 0 is any that is free.
  std::string host = "0.0.0.0";
  int grpc_port = 8080;
  // How large one message may be, either way.
  int max_message_bytes = 64 << 20;
};

// A store on the network: ML Metadata's service and the steps', over gRPC, with
// gRPC's health service beside them. Serves from its construction on.
// Thread-safe.
class MetadataServer {
 public:
  virtual ~MetadataServer() = default;

  // The port it listens on.
  virtual int grpc_port() const = 0;

  // Takes no more calls and waits for those under way; after `grace` they are
  // cancelled. A write that was answered is kept in any case.
  virtual void Shutdown(absl::Duration grace) = 0;
};

// `store` is not owned and must outlive the server.
//
//   UNAVAILABLE  the port is taken, or not allowed
absl::StatusOr<std::unique_ptr<MetadataServer>> StartMetadataServer(
    Store& store, const ServerOptions& options = {});

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_METADATA_SERVER_H_

// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_GRPC_CALL_H_
#define REKINDLE_METADATA_SERVER_GRPC_CALL_H_

#include <string>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/peer.h"

namespace rekindle {

// Who is at the other end of a call's connection.
Peer PeerOf(const grpc::ServerContext& context);

// The address and the port of a connection that gRPC calls `peer`.
std::pair<std::string, int> AddressAndPortOf(absl::string_view peer);

// What a call shows of who sends it.
Credentials CredentialsOf(const grpc::ServerContext& context);

// absl's codes are gRPC's.
grpc::Status ToGrpc(const absl::Status& status);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_GRPC_CALL_H_

#ifndef REKINDLE_METADATA_API_GRPC_STORE_H_
#define REKINDLE_METADATA_API_GRPC_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "metadata/api/call_token.h"
#include "metadata/api/open_store.h"
#include "metadata/api/tls_files.h"

namespace rekindle {

struct GrpcOptions {
  // How long one call may take, connecting included.
  absl::Duration timeout = absl::Minutes(1);
  // How large one message may be, either way.
  int max_message_bytes = 64 << 20;
  // With TLS: whether the server must prove who it is. False is for one who
  // only asks whether a server of this machine lives.
  bool verify_server = true;
  // Sent with every call, if there is one; without TLS everybody on the way can
  // read it.
  std::shared_ptr<CallToken> token = nullptr;
};

// A store behind a server at `address` ("host:port"): Rekindle's, or ML
// Metadata's own, on which the steps' side answers FAILED_PRECONDITION.
// Connects with the first call; every call may answer
//
//   UNAVAILABLE         the server cannot be reached
//   DEADLINE_EXCEEDED   it did not answer in time; a write may have happened
//   RESOURCE_EXHAUSTED  a message is too large
//   UNAUTHENTICATED     it wants to know who calls, and is not told
//   PERMISSION_DENIED   it knows, and that one may not
std::unique_ptr<Store> ConnectGrpcStore(const std::string& address,
                                        const GrpcOptions& options = {});

// The same with TLS; `files` are this side's.
//
//   and what MakeTlsChannelCredentials answers
absl::StatusOr<std::unique_ptr<Store>> ConnectTlsStore(
    const std::string& address, const TlsFiles& files,
    const GrpcOptions& options = {});

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_GRPC_STORE_H_

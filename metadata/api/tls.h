#ifndef REKINDLE_METADATA_API_TLS_H_
#define REKINDLE_METADATA_API_TLS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/security/server_credentials.h"
#include "metadata/api/tls_files.h"

namespace rekindle {

// For a client. Without a `ca` the server's must be one that this machine
// trusts; without a certificate only servers that ask for none take it.
//
//   INVALID_ARGUMENT  a certificate without its key or the reverse; a file that
//                     is not PEM; a key of another certificate
//   NOT_FOUND, PERMISSION_DENIED  a file cannot be read
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>>
MakeTlsChannelCredentials(const TlsFiles& files);

// For a client that only asks whether a server of its own machine lives: it
// must have a certificate, the server's own perhaps; that of the server may be
// any, and `ca` does not matter.
//
//   as above
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>>
MakeUnverifiedTlsChannelCredentials(const TlsFiles& files);

// For a server, which must have a certificate. With a `ca` it takes only
// clients whose certificate that one has signed. Files that are replaced while
// it runs are read anew within some seconds.
//
//   as above
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>>
MakeTlsServerCredentials(const TlsFiles& files);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_TLS_H_

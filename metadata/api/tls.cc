#include "metadata/api/tls.h"

#include <memory>
#include <string>
#include <vector>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_certificate_verifier.h"
#include "grpcpp/security/tls_credentials_options.h"
#include "metadata/api/tls_files.h"

namespace rekindle {
namespace {

constexpr unsigned kRefreshSeconds = 5;

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

absl::Status Unusable(const std::string& file, absl::string_view expected) {
  ERR_clear_error();
  return absl::InvalidArgumentError(
      absl::StrCat("'", file, "' is not ", expected));
}

absl::StatusOr<std::string> ReadIfNamed(const std::string& file) {
  if (file.empty()) return std::string();
  return ReadFile(file);
}

// gRPC only says that a connection failed, or a port; OpenSSL knows better.
absl::Status CheckFiles(const TlsFiles& files) {
  if (files.certificate.empty() != files.key.empty()) {
    return absl::InvalidArgumentError(
        "a TLS certificate and its key are given together, or neither");
  }
  for (const std::string& file : {files.certificate, files.key, files.ca}) {
    RK_RETURN_IF_ERROR(ReadIfNamed(file).status());
  }
  const Context context(SSL_CTX_new(TLS_method()), SSL_CTX_free);
  if (!files.ca.empty() && SSL_CTX_load_verify_locations(
                               context.get(), files.ca.c_str(), nullptr) != 1) {
    return Unusable(files.ca, "a file of certificates in PEM");
  }
  if (files.certificate.empty()) return absl::OkStatus();
  if (SSL_CTX_use_certificate_chain_file(context.get(),
                                         files.certificate.c_str()) != 1) {
    return Unusable(files.certificate, "a certificate in PEM");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(),
                                  SSL_FILETYPE_PEM) != 1) {
    return Unusable(files.key, absl::StrCat("the key of ", files.certificate,
                                            " in PEM, without a password"));
  }
  return absl::OkStatus();
}

absl::Status CheckFilesWithCertificate(const TlsFiles& files) {
  RK_RETURN_IF_ERROR(CheckFiles(files));
  if (!files.certificate.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "a server with TLS needs a certificate and its key");
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>>
MakeTlsChannelCredentials(const TlsFiles& files) {
  RK_RETURN_IF_ERROR(CheckFiles(files));
  grpc::SslCredentialsOptions options;
  RK_ASSIGN_OR_RETURN(options.pem_root_certs, ReadIfNamed(files.ca));
  RK_ASSIGN_OR_RETURN(options.pem_cert_chain, ReadIfNamed(files.certificate));
  RK_ASSIGN_OR_RETURN(options.pem_private_key, ReadIfNamed(files.key));
  return grpc::SslCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>>
MakeUnverifiedTlsChannelCredentials(const TlsFiles& files) {
  RK_RETURN_IF_ERROR(CheckFilesWithCertificate(files));
  grpc::experimental::IdentityKeyCertPair ours;
  RK_ASSIGN_OR_RETURN(ours.private_key, ReadFile(files.key));
  RK_ASSIGN_OR_RETURN(ours.certificate_chain, ReadFile(files.certificate));
  grpc::experimental::TlsChannelCredentialsOptions options;
  // gRPC wants an authority also where none is asked, and a container may have
  // none of its own.
  options.set_certificate_provider(
      std::make_shared<grpc::experimental::StaticDataCertificateProvider>(
          ours.certificate_chain, std::vector{ours}));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_verify_server_certs(false);
  options.set_check_call_host(false);
  options.set_certificate_verifier(
      std::make_shared<grpc::experimental::NoOpCertificateVerifier>());
  return grpc::experimental::TlsCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>>
MakeTlsServerCredentials(const TlsFiles& files) {
  RK_RETURN_IF_ERROR(CheckFilesWithCertificate(files));
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          files.key, files.certificate, files.ca, kRefreshSeconds));
  options.watch_identity_key_cert_pairs();
  if (files.ca.empty()) {
    options.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  } else {
    options.watch_root_certs();
    options.set_cert_request_type(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace rekindle

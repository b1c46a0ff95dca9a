#ifndef REKINDLE_OPERATOR_KUBE_TLS_H_
#define REKINDLE_OPERATOR_KUBE_TLS_H_
// Internal to operator/kube.

#include <string>

#include <openssl/ssl.h>

#include "absl/status/status.h"
#include "operator/kube/credentials.h"
#include "operator/kube/kube_config.h"

namespace rekindle::argo {

// Makes the connections of `context` trust only the cluster's own authority, if
// it names one, else those of this machine, for the name `host`, and prove
// themselves with the client certificate of `credential`, if it has one. Their
// handshakes leave in `verdict` what was found of the server: X509_V_OK, or why
// it is not trusted. It is not owned and must outlive them.
//
//   INVALID_ARGUMENT  a certificate or key cannot be read, or do not belong
//                     together
absl::Status SetUpTls(const KubeConfig& config, const Credential& credential,
                      const std::string& host, SSL_CTX* context, int* verdict);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_KUBE_TLS_H_

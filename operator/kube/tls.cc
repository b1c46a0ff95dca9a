#include "operator/kube/tls.h"

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "operator/kube/credentials.h"
#include "operator/kube/kube_config.h"

namespace rekindle::argo {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using BioPtr = std::unique_ptr<BIO, Free>;
using X509Ptr = std::unique_ptr<X509, Free>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free>;

absl::Status Unusable(absl::string_view what, const KubeConfig& config) {
  ERR_clear_error();
  return absl::InvalidArgumentError(
      absl::StrCat("the ", what, " of ", config.source, " cannot be used"));
}

BioPtr Open(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

X509Ptr NextCertificate(BIO* bio) {
  return X509Ptr(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
}

absl::Status Trust(const KubeConfig& config, SSL_CTX* context) {
  if (config.ca_pem.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return absl::OkStatus();
  }
  X509_STORE* store = X509_STORE_new();
  SSL_CTX_set_cert_store(context, store);  // which owns it from now on
  const BioPtr bio = Open(config.ca_pem);
  int count = 0;
  while (const X509Ptr certificate = NextCertificate(bio.get())) {
    X509_STORE_add_cert(store, certificate.get());
    ++count;
  }
  ERR_clear_error();  // the end of the text is one
  if (count == 0) return Unusable("certificate-authority", config);
  return absl::OkStatus();
}

int Verify(X509_STORE_CTX* chain, void* verdict) {
  const int trusted = X509_verify_cert(chain);
  *static_cast<int*>(verdict) = X509_STORE_CTX_get_error(chain);
  return trusted;
}

// The subject's common name is no proof of a host's name, as in Go. Letters are
// compared whatever their case.
void ExpectHost(const std::string& host, SSL_CTX* context) {
  X509_VERIFY_PARAM* param = SSL_CTX_get0_param(context);
  if (X509_VERIFY_PARAM_set1_ip_asc(param, host.c_str()) == 1) return;
  ERR_clear_error();
  X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  X509_VERIFY_PARAM_set1_host(param, host.c_str(), host.size());
}

absl::Status ProveWith(const KubeConfig& config, const Credential& credential,
                       SSL_CTX* context) {
  const BioPtr certificates = Open(credential.client_cert_pem);
  const X509Ptr own = NextCertificate(certificates.get());
  if (own == nullptr || SSL_CTX_use_certificate(context, own.get()) != 1) {
    return Unusable("client certificate", config);
  }
  while (X509Ptr issuer = NextCertificate(certificates.get())) {
    SSL_CTX_add_extra_chain_cert(context, issuer.release());
  }
  ERR_clear_error();
  const BioPtr bio = Open(credential.client_key_pem);
  const KeyPtr key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return Unusable("client key", config);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetUpTls(const KubeConfig& config, const Credential& credential,
                      const std::string& host, SSL_CTX* context, int* verdict) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (!config.insecure_skip_tls_verify) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_cert_verify_callback(context, Verify, verdict);
    ExpectHost(host, context);
    RK_RETURN_IF_ERROR(Trust(config, context));
  }
  if (credential.client_cert_pem.empty()) return absl::OkStatus();
  return ProveWith(config, credential, context);
}

}  // namespace rekindle::argo

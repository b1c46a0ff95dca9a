#include "metadata/server/http/tls.h"

#include <csignal>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"
#include "metadata/api/tls_files.h"
#include "metadata/server/http/transport.h"
#include "metadata/server/peer.h"

namespace rekindle::http {
namespace {

constexpr absl::Duration kRefresh = absl::Seconds(5);

template <typename T, void (*free)(T*)>
struct Freed {
  void operator()(T* what) const { free(what); }
};
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<SSL, SSL_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Names =
    std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES, GENERAL_NAMES_free>>;

absl::string_view TextOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<size_t>(ASN1_STRING_length(text))};
}

std::string AddressOf(const ASN1_OCTET_STRING* address) {
  char text[INET6_ADDRSTRLEN] = "";
  const int length = ASN1_STRING_length(address);
  const int family = length == sizeof(in_addr) ? AF_INET : AF_INET6;
  if (length != sizeof(in_addr) && length != sizeof(in6_addr)) return "";
  inet_ntop(family, ASN1_STRING_get0_data(address), text, sizeof(text));
  return text;
}

// A subject alternative name; empty if it is of a kind that names nobody.
std::string NameOf(const GENERAL_NAME& name) {
  switch (name.type) {
    case GEN_DNS:
      return std::string(TextOf(name.d.dNSName));
    case GEN_URI:
      return std::string(TextOf(name.d.uniformResourceIdentifier));
    case GEN_EMAIL:
      return std::string(TextOf(name.d.rfc822Name));
    case GEN_IPADD:
      return AddressOf(name.d.iPAddress);
    default:
      return "";
  }
}

// The only common name of a certificate; empty if there are none or several.
std::string CommonNameOf(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int first = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (first < 0 ||
      X509_NAME_get_index_by_NID(subject, NID_commonName, first) >= 0) {
    return "";
  }
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(
      &utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, first)));
  if (size < 0) return "";
  std::string name(reinterpret_cast<char*>(utf8), size);
  OPENSSL_free(utf8);
  return name;
}

void AddAlternativeNames(const X509* certificate, Peer* peer) {
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get());
       ++i) {
    std::string name = NameOf(*sk_GENERAL_NAME_value(names.get(), i));
    if (!name.empty()) peer->alternative_names.push_back(std::move(name));
  }
}

class TlsTransport : public Transport {
 public:
  TlsTransport(UniqueFd fd, Session session)
      : fd_(std::move(fd)), session_(std::move(session)) {}

  int fd() const override { return fd_.get(); }

  Transfer Read(char* buffer, size_t size) override {
    size_t n = 0;
    ERR_clear_error();
    const int done = SSL_read_ex(session_.get(), buffer, size, &n);
    return Done(done, n);
  }

  Transfer Write(absl::string_view bytes) override {
    size_t n = 0;
    ERR_clear_error();
    const int done =
        SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &n);
    return Done(done, n);
  }

  void EndWriting() override {
    ERR_clear_error();
    if (!broken_) SSL_shutdown(session_.get());
    shutdown(fd_.get(), SHUT_WR);
  }

  void Describe(Peer* peer) const override {
    const Certificate shown(SSL_get1_peer_certificate(session_.get()));
    if (shown == nullptr ||
        SSL_get_verify_result(session_.get()) != X509_V_OK) {
      return;
    }
    peer->common_name = CommonNameOf(shown.get());
    AddAlternativeNames(shown.get(), peer);
  }

 private:
  Transfer Done(int succeeded, size_t bytes) {
    if (succeeded == 1) return {Transfer::State::kDone, bytes};
    switch (SSL_get_error(session_.get(), succeeded)) {
      case SSL_ERROR_WANT_READ:
        return {Transfer::State::kWantRead};
      case SSL_ERROR_WANT_WRITE:
        return {Transfer::State::kWantWrite};
      case SSL_ERROR_ZERO_RETURN:
        return {Transfer::State::kClosed};
      default:
        // OpenSSL must not be asked for anything more.
        broken_ = true;
        return {Transfer::State::kClosed};
    }
  }

  const UniqueFd fd_;
  const Session session_;
  bool broken_ = false;
};

// HTTP/1.1, also for a client that would rather speak HTTP/2.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned int offered_size,
                   void*) {
  static constexpr unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, size, kOurs, sizeof(kOurs) - 1, offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

absl::Status UseCertificate(const TlsFiles& files, SSL_CTX* context) {
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) ==
          1 &&
      SSL_CTX_use_PrivateKey_file(context, files.key.c_str(),
                                  SSL_FILETYPE_PEM) == 1 &&
      SSL_CTX_check_private_key(context) == 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", files.certificate, "' and '", files.key,
                   "' are not a certificate and its key in PEM"));
}

absl::Status UseAuthority(const std::string& file, SSL_CTX* context) {
  STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(file.c_str());
  if (names == nullptr ||
      SSL_CTX_load_verify_file(context, file.c_str()) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", file, "' is not a file of certificates in PEM"));
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return absl::OkStatus();
}

// What every connection has: nothing is kept for a client that has left, and no
// handshake is made twice.
void Configure(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                   SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
}

absl::StatusOr<Context> MakeContext(const TlsFiles& files) {
  Context context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return absl::InternalError("TLS cannot be set up");
  Configure(context.get());
  RK_RETURN_IF_ERROR(UseCertificate(files, context.get()));
  if (!files.ca.empty()) {
    RK_RETURN_IF_ERROR(UseAuthority(files.ca, context.get()));
  }
  return context;
}

class OpenSslServer : public TlsServer {
 public:
  OpenSslServer(const TlsFiles& files, Context context, const Clock& clock)
      : files_(files),
        clock_(clock),
        context_(std::move(context)),
        refreshed_(clock.Now()) {}

  std::unique_ptr<Transport> Accept(UniqueFd fd) override {
    Refresh();
    Session session(SSL_new(context_.get()));
    if (session == nullptr || SSL_set_fd(session.get(), fd.get()) != 1) {
      return nullptr;
    }
    SSL_set_accept_state(session.get());
    return std::make_unique<TlsTransport>(std::move(fd), std::move(session));
  }

  bool IsFor(const std::string& host) const override {
    X509* const certificate = SSL_CTX_get0_certificate(context_.get());
    return X509_check_host(certificate, host.data(), host.size(), 0, nullptr) ==
           1;
  }

 private:
  // While files are being replaced they do not fit together: what was read
  // before stays until they do.
  void Refresh() {
    if (clock_.Now() - refreshed_ < kRefresh) return;
    refreshed_ = clock_.Now();
    absl::StatusOr<Context> fresh = MakeContext(files_);
    if (fresh.ok()) context_ = *std::move(fresh);
  }

  const TlsFiles files_;
  const Clock& clock_;
  Context context_;
  absl::Time refreshed_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TlsServer>> MakeTlsServer(const TlsFiles& files,
                                                         const Clock& clock) {
  // OpenSSL writes to sockets whose other end is gone.
  std::signal(SIGPIPE, SIG_IGN);
  RK_ASSIGN_OR_RETURN(Context context, MakeContext(files));
  return std::make_unique<OpenSslServer>(files, std::move(context), clock);
}

}  // namespace rekindle::http

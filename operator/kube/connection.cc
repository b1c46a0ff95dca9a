#include "operator/kube/connection.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <httplib.h>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/event_fd.h"
#include "base/status_macros.h"
#include "operator/kube/credentials.h"
#include "operator/kube/kube_config.h"
#include "operator/kube/kube_error.h"
#include "operator/kube/tls.h"

namespace rekindle::argo {
namespace {

// Breaks a connection, at whatever stage it is, once one of two descriptors is
// readable.
class Interrupter {
 public:
  explicit Interrupter(const std::array<int, 2>& cancel_fds)
      : cancel_fds_(cancel_fds) {
    if (ok()) thread_ = std::thread([this] { Run(); });
  }
  ~Interrupter() {
    done_.Happen();
    if (thread_.joinable()) thread_.join();
  }
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;

  // False when there is no descriptor to wait with.
  bool ok() const { return done_.ok(); }
  void Watch(int socket) { socket_ = socket; }
  bool interrupted() const { return interrupted_; }

 private:
  void Run() {
    std::array<pollfd, 3> fds = {{{done_.fd(), POLLIN, 0},
                                  {cancel_fds_[0], POLLIN, 0},
                                  {cancel_fds_[1], POLLIN, 0}}};
    for (;;) {
      // A host has several addresses, hence several sockets, one by one.
      poll(fds.data(), interrupted_ ? 1 : 3, interrupted_ ? 50 : -1);
      if (fds[0].revents != 0) return;
      if (fds[1].revents == 0 && fds[2].revents == 0) continue;
      interrupted_ = true;
      if (socket_ >= 0) shutdown(socket_, SHUT_RDWR);
    }
  }

  const std::array<int, 2> cancel_fds_;
  EventFd done_;
  std::atomic<int> socket_ = -1;
  std::atomic<bool> interrupted_ = false;
  std::thread thread_;
};

// Within a minute, also while nothing is sent.
void FindOutWhenThePeerVanishes(int socket) {
  const int on = 1;
  const int idle_seconds = 30;
  const int interval_seconds = 10;
  const int probes = 3;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof(int));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval_seconds,
             sizeof(int));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(int));
}

// The addresses of a host as text, for connections that are to believe it has
// another name.
absl::StatusOr<std::vector<std::string>> NumericAddresses(
    const std::string& host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return NotDone(absl::UnavailableError(absl::StrCat(
        "the cluster's host '", host, "' is unknown: ", gai_strerror(error))));
  }
  const absl::Cleanup free = [found] { freeaddrinfo(found); };
  std::vector<std::string> all;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text;
    getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(),
                nullptr, 0, NI_NUMERICHOST);
    all.emplace_back(text.data());
  }
  return all;
}

// A request on its way.
struct Exchange {
  const HttpCall& call;
  const ServerAddress& address;
  const KubeConfig& config;
  const Credential& credential;
  // Where the server is, if its certificate has another name than its address;
  // empty: where its name says.
  std::string ip;
  int verdict = X509_V_OK;  // on the server's certificate
};

absl::StatusOr<std::unique_ptr<httplib::ClientImpl>> MakeTlsClient(
    Exchange& exchange) {
  const std::string name = exchange.ip.empty()
                               ? exchange.address.host
                               : exchange.config.tls_server_name;
  auto client =
      std::make_unique<httplib::SSLClient>(name, exchange.address.port);
  if (!exchange.ip.empty()) {
    client->set_hostname_addr_map({{name, exchange.ip}});
  }
  // OpenSSL does that in the handshake: httplib would compare names after it,
  // and take "A.example" and "a.example" for different hosts.
  client->enable_server_certificate_verification(false);
  RK_RETURN_IF_ERROR(SetUpTls(exchange.config, exchange.credential, name,
                              client->ssl_context(), &exchange.verdict));
  return client;
}

absl::StatusOr<std::unique_ptr<httplib::ClientImpl>> MakeClient(
    Exchange& exchange) {
  const ServerAddress& address = exchange.address;
  const HttpCall& call = exchange.call;
  std::unique_ptr<httplib::ClientImpl> client;
  if (address.tls) {
    RK_ASSIGN_OR_RETURN(client, MakeTlsClient(exchange));
  } else {
    client = std::make_unique<httplib::ClientImpl>(address.host, address.port);
  }
  client->set_connection_timeout(absl::ToChronoSeconds(call.connect_timeout));
  client->set_read_timeout(absl::ToChronoMilliseconds(call.read_timeout));
  client->set_url_encode(false);  // paths come escaped
  return client;
}

httplib::Headers HeadersOf(const HttpCall& call, const KubeConfig& config,
                           const Credential& credential) {
  httplib::Headers headers = {{"Accept", "application/json"},
                              {"User-Agent", "rekindle"}};
  if (!credential.token.empty()) {
    headers.emplace("Authorization", absl::StrCat("Bearer ", credential.token));
  } else if (!credential.username.empty()) {
    headers.insert(httplib::make_basic_authentication_header(
        credential.username, credential.password));
  }
  if (!config.user.impersonate.empty()) {
    headers.emplace("Impersonate-User", config.user.impersonate);
  }
  for (const std::string& group : config.user.impersonate_groups) {
    headers.emplace("Impersonate-Group", group);
  }
  if (!call.content_type.empty()) {
    headers.emplace("Content-Type", call.content_type);
  }
  return headers;
}

absl::Status NotTrusted(int verdict, const KubeConfig& config) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the certificate of the server at ", config.server,
      " is not to be trusted: ", X509_verify_cert_error_string(verdict),
      "; check certificate-authority and server of ", config.source));
}

absl::Status Failed(httplib::Error error, const Exchange& exchange) {
  const KubeConfig& config = exchange.config;
  if (exchange.verdict != X509_V_OK) {
    return NotTrusted(exchange.verdict, config);
  }
  switch (error) {
    case httplib::Error::SSLConnection:
      return absl::UnavailableError(absl::StrCat(
          "no TLS connection to the cluster at ", config.server,
          ": the handshake failed (is that an https:// server, and does it "
          "accept our certificate?)"));
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
      return absl::UnavailableError(absl::StrCat(
          "the cluster at ", config.server, " (", config.source,
          ") is not reached: ",
          error == httplib::Error::ConnectionTimeout ? "no answer in time"
                                                     : "nobody answers there"));
    default:
      return absl::UnavailableError(
          absl::StrCat("the connection to the cluster at ", config.server,
                       " broke before an answer came"));
  }
}

// Without a connection there was none to send the request over.
absl::Status MarkIfNotSent(const absl::Status& status, httplib::Error error) {
  const bool connected = error != httplib::Error::Connection &&
                         error != httplib::Error::ConnectionTimeout &&
                         error != httplib::Error::SSLConnection;
  return connected ? status : NotDone(status);
}

// What a request collects while its answer arrives.
void Receive(const HttpCall& call, HttpAnswer& answer,
             httplib::Request& request) {
  request.response_handler = [&answer](const httplib::Response& response) {
    answer.status = response.status;
    answer.retry_after = response.get_header_value("Retry-After");
    return true;
  };
  request.content_receiver = [&call, &answer](const char* data, size_t size,
                                              uint64_t, uint64_t) {
    if (answer.status / 100 != 2 || !call.on_bytes) {
      answer.body.append(data, size);
      return true;
    }
    answer.ended_by_us = !call.on_bytes({data, size});
    return !answer.ended_by_us;
  };
}

absl::StatusOr<HttpAnswer> SendOnce(Exchange exchange) {
  RK_ASSIGN_OR_RETURN(const auto client, MakeClient(exchange));
  const HttpCall& call = exchange.call;
  Interrupter interrupter(call.cancel_fds);
  if (!interrupter.ok()) {
    return absl::ResourceExhaustedError(
        "this process has no file descriptors left (ulimit -n)");
  }
  client->set_socket_options([&interrupter](socket_t socket) {
    FindOutWhenThePeerVanishes(socket);
    interrupter.Watch(socket);
  });
  HttpAnswer answer;
  httplib::Request request;
  request.method = call.method;
  request.path = absl::StrCat(exchange.address.prefix, call.path);
  request.headers = HeadersOf(call, exchange.config, exchange.credential);
  request.body = call.body;
  Receive(call, answer, request);

  httplib::Response response;
  httplib::Error error = httplib::Error::Success;
  const bool sent = client->send(request, response, error);
  if (interrupter.interrupted()) {
    return MarkIfNotSent(absl::CancelledError("interrupted"), error);
  }
  if (sent || answer.ended_by_us) return answer;
  if (answer.status == 0) return MarkIfNotSent(Failed(error, exchange), error);
  answer.cut = true;
  return answer;
}

}  // namespace

absl::StatusOr<ServerAddress> ParseServerAddress(const std::string& server) {
  ServerAddress address;
  absl::string_view rest = server;
  address.tls = absl::ConsumePrefix(&rest, "https://");
  if (!address.tls && !absl::ConsumePrefix(&rest, "http://")) rest = "";
  const size_t slash = rest.find('/');
  if (slash != absl::string_view::npos) {
    address.prefix = std::string(rest.substr(slash));
    rest = rest.substr(0, slash);
  }
  address.port = address.tls ? 443 : 80;
  const size_t colon = rest.rfind(':');
  const size_t bracket = rest.rfind(']');
  bool valid = true;
  if (colon != absl::string_view::npos &&
      (bracket == absl::string_view::npos || colon > bracket)) {
    valid = absl::SimpleAtoi(rest.substr(colon + 1), &address.port) &&
            address.port > 0 && address.port < 65536;
    rest = rest.substr(0, colon);
  }
  if (absl::ConsumePrefix(&rest, "[")) absl::ConsumeSuffix(&rest, "]");
  address.host = std::string(rest);
  if (!valid || address.host.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the cluster's address '", server,
                     "' is not of the form https://HOST:PORT"));
  }
  return address;
}

absl::StatusOr<HttpAnswer> Send(const HttpCall& call,
                                const ServerAddress& address,
                                const KubeConfig& config,
                                const Credential& credential) {
  if (!address.tls || config.tls_server_name.empty()) {
    return SendOnce({call, address, config, credential, /*ip=*/""});
  }
  RK_ASSIGN_OR_RETURN(const std::vector<std::string> ips,
                      NumericAddresses(address.host));
  return SendToAnyOf(ips, call, address, config, credential);
}

absl::StatusOr<HttpAnswer> SendToAnyOf(const std::vector<std::string>& ips,
                                       const HttpCall& call,
                                       const ServerAddress& address,
                                       const KubeConfig& config,
                                       const Credential& credential) {
  absl::StatusOr<HttpAnswer> answer;
  for (const std::string& ip : ips) {
    answer = SendOnce({call, address, config, credential, ip});
    if (!absl::IsUnavailable(answer.status()) || !IsNotDone(answer.status())) {
      break;
    }
  }
  return answer;
}

}  // namespace rekindle::argo

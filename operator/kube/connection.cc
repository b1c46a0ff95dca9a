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
#include "operator/kube/tls.h"

namespace rekindle::argo {
namespace {

// Breaks a connection, at whatever stage it is, once a descriptor is readable.
class Interrupter {
 public:
  explicit Interrupter(int cancel_fd)
      : cancel_fd_(cancel_fd), thread_([this] { Run(); }) {}
  ~Interrupter() {
    done_.Happen();
    thread_.join();
  }
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;

  void Watch(int socket) { socket_ = socket; }
  bool interrupted() const { return interrupted_; }

 private:
  void Run() {
    std::array<pollfd, 2> fds = {
        {{done_.fd(), POLLIN, 0}, {cancel_fd_, POLLIN, 0}}};
    for (;;) {
      // A host has several addresses, hence several sockets, one by one.
      poll(fds.data(), interrupted_ ? 1 : 2, interrupted_ ? 50 : -1);
      if (fds[0].revents != 0) return;
      if (fds[1].revents == 0) continue;
      interrupted_ = true;
      if (socket_ >= 0) shutdown(socket_, SHUT_RDWR);
    }
  }

  const int cancel_fd_;
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

// The first address of a host as text, for a connection that is to believe it
// has another name.
absl::StatusOr<std::string> NumericAddress(const std::string& host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return absl::UnavailableError(absl::StrCat(
        "the cluster's host '", host, "' is unknown: ", gai_strerror(error)));
  }
  const absl::Cleanup free = [found] { freeaddrinfo(found); };
  std::array<char, NI_MAXHOST> text;
  getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(),
              nullptr, 0, NI_NUMERICHOST);
  return std::string(text.data());
}

absl::StatusOr<std::unique_ptr<httplib::ClientImpl>> MakeTlsClient(
    const ServerAddress& address, const KubeConfig& config,
    const Credential& credential) {
  const std::string name =
      config.tls_server_name.empty() ? address.host : config.tls_server_name;
  auto client = std::make_unique<httplib::SSLClient>(name, address.port);
  if (name != address.host) {
    RK_ASSIGN_OR_RETURN(const std::string ip, NumericAddress(address.host));
    client->set_hostname_addr_map({{name, ip}});
  }
  client->enable_server_certificate_verification(
      !config.insecure_skip_tls_verify);
  // Without a path of its own httplib adds this machine's roots to the store;
  // a folder that holds none keeps it to what SetUpTls puts there.
  if (!config.ca_pem.empty()) client->set_ca_cert_path("", "/dev/null");
  RK_RETURN_IF_ERROR(SetUpTls(config, credential, name, client->ssl_context()));
  return client;
}

absl::StatusOr<std::unique_ptr<httplib::ClientImpl>> MakeClient(
    const HttpCall& call, const ServerAddress& address,
    const KubeConfig& config, const Credential& credential) {
  std::unique_ptr<httplib::ClientImpl> client;
  if (address.tls) {
    RK_ASSIGN_OR_RETURN(client, MakeTlsClient(address, config, credential));
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

absl::Status NotTrusted(const httplib::ClientImpl& client,
                        const KubeConfig& config) {
  const auto* tls = dynamic_cast<const httplib::SSLClient*>(&client);
  const long result = tls == nullptr ? 0 : tls->get_openssl_verify_result();
  return absl::FailedPreconditionError(absl::StrCat(
      "the certificate of the server at ", config.server,
      " is not to be trusted: ",
      result == X509_V_OK ? "it is for another host"
                          : X509_verify_cert_error_string(result),
      "; check certificate-authority and server of ", config.source));
}

absl::Status Failed(httplib::Error error, const httplib::ClientImpl& client,
                    const KubeConfig& config) {
  switch (error) {
    case httplib::Error::SSLServerVerification:
      return NotTrusted(client, config);
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
  RK_ASSIGN_OR_RETURN(const auto client,
                      MakeClient(call, address, config, credential));
  Interrupter interrupter(call.cancel_fd);
  client->set_socket_options([&interrupter](socket_t socket) {
    FindOutWhenThePeerVanishes(socket);
    interrupter.Watch(socket);
  });
  HttpAnswer answer;
  httplib::Request request;
  request.method = call.method;
  request.path = absl::StrCat(address.prefix, call.path);
  request.headers = HeadersOf(call, config, credential);
  request.body = call.body;
  Receive(call, answer, request);

  httplib::Response response;
  httplib::Error error = httplib::Error::Success;
  const bool sent = client->send(request, response, error);
  if (interrupter.interrupted()) return absl::CancelledError("interrupted");
  if (sent || answer.ended_by_us) return answer;
  if (answer.status == 0) return Failed(error, *client, config);
  answer.cut = true;
  return answer;
}

}  // namespace rekindle::argo

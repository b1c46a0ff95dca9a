#include "metadata/server/acceptor.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"
#include "metadata/server/listening.h"

namespace rekindle {
namespace {

// How long to wait after an error that is none of a connection's.
constexpr int kPauseMillis = 10;

// What the kernel keeps of what a client sends, and the server still reads when
// it has given up the connection.
constexpr int kUnreadBytes = 64 << 10;

UniqueFd OpenReserve() {
  return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

bool NoDescriptorsLeft(int error) { return error == EMFILE || error == ENFILE; }

// Whether the next connection may be better.
bool OnlyThisConnection(int error) {
  return error == EINTR || error == ECONNABORTED || error == EPROTO ||
         error == EPERM;
}

// An IP address and a port.
std::pair<std::string, int> TextOf(const sockaddr_storage& peer) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  int port = 0;
  if (peer.ss_family == AF_INET) {
    const auto& address = reinterpret_cast<const sockaddr_in&>(peer);
    inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    port = ntohs(address.sin_port);
  } else {
    const auto& address = reinterpret_cast<const sockaddr_in6&>(peer);
    const bool mapped = IN6_IS_ADDR_V4MAPPED(&address.sin6_addr);
    inet_ntop(mapped ? AF_INET : AF_INET6,
              mapped ? &address.sin6_addr.s6_addr[12]
                     : static_cast<const void*>(&address.sin6_addr),
              text.data(), text.size());
    port = ntohs(address.sin6_port);
  }
  return {text.data(), port};
}

std::string AddressOf(const UniqueFd& listener) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return TextOf(address).first;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Listen(
    const std::string& host, int port) {
  int bound = port;
  RK_ASSIGN_OR_RETURN(std::vector<UniqueFd> listeners, ListenOn(host, &bound));
  for (const UniqueFd& each : listeners) {  // connections inherit it
    setsockopt(each.get(), SOL_SOCKET, SO_RCVBUF, &kUnreadBytes,
               sizeof(kUnreadBytes));
  }
  return absl::WrapUnique(new Acceptor(std::move(listeners), bound));
}

Acceptor::Acceptor(std::vector<UniqueFd> listeners, int port)
    : port_(port),
      address_(AddressOf(listeners.front())),
      listeners_(std::move(listeners)),
      reserve_(OpenReserve()) {}

Acceptor::~Acceptor() { Stop(); }

void Acceptor::Start(Take take) {
  take_ = std::move(take);
  thread_ = std::thread([this] { Run(); });
}

void Acceptor::Stop() {
  stopped_.Happen();
  if (thread_.joinable()) thread_.join();
  listeners_.clear();
}

void Acceptor::Run() {
  std::vector<pollfd> watched = {{stopped_.fd(), POLLIN, 0}};
  for (const UniqueFd& listener : listeners_) {
    watched.push_back({listener.get(), POLLIN, 0});
  }
  while (true) {
    poll(watched.data(), watched.size(), /*timeout=*/-1);
    if (watched.front().revents != 0) return;
    for (const pollfd& each : watched) {
      if (each.revents != 0) AcceptFrom(each.fd);
    }
  }
}

void Acceptor::AcceptFrom(int listener) {
  // Not for ever: to stop must be noticed.
  for (int i = 0; i < SOMAXCONN; ++i) {
    sockaddr_storage peer = {};
    socklen_t size = sizeof(peer);
    UniqueFd fd(accept4(listener, reinterpret_cast<sockaddr*>(&peer), &size,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd.ok()) {
      const int error = errno;
      if (error == EAGAIN) return;
      if (NoDescriptorsLeft(error)) DropOne(listener);
      if (!OnlyThisConnection(error)) return Pause();
      continue;
    }
    const int on = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    auto [client, port] = TextOf(peer);
    take_({std::move(fd), std::move(client), port});
  }
}

// Whoever waits is told at once, instead of waiting for ever.
void Acceptor::DropOne(int listener) {
  reserve_.reset();
  UniqueFd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)).reset();
  reserve_ = OpenReserve();
}

void Acceptor::Pause() {
  pollfd stopped = {stopped_.fd(), POLLIN, 0};
  poll(&stopped, 1, kPauseMillis);
}

}  // namespace rekindle

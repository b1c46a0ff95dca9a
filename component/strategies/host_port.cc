#include "component/strategies/host_port.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

constexpr int kLargestPort = 65535;

// Closes its descriptor.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }

 private:
  int fd_;
};

bool IsPort(const std::string& text) {
  int port = 0;
  return absl::SimpleAtoi(text, &port) && port > 0 && port <= kLargestPort;
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList Resolve(const HostPort& where) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(where.host.c_str(), where.port.c_str(), &hints, &list) != 0) {
    list = nullptr;
  }
  return {list, freeaddrinfo};
}

// Whether a socket is connected to itself: it tried to reach a port at which
// nobody listens, and was given that very port as its own.
bool IsItsOwnPeer(int fd) {
  sockaddr_storage here{};
  sockaddr_storage there{};
  socklen_t here_length = sizeof(here);
  socklen_t there_length = sizeof(there);
  getsockname(fd, reinterpret_cast<sockaddr*>(&here), &here_length);
  getpeername(fd, reinterpret_cast<sockaddr*>(&there), &there_length);
  return here_length == there_length &&
         std::memcmp(&here, &there, here_length) == 0;
}

// Waits until a connection that was begun stands, or cannot be made.
bool FinishesConnecting(int fd, absl::Duration timeout) {
  pollfd polled{fd, POLLOUT, 0};
  const auto millis = static_cast<int>(absl::ToInt64Milliseconds(timeout));
  if (poll(&polled, 1, millis) != 1) return false;
  int error = 0;
  socklen_t length = sizeof(error);
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  return error == 0;
}

bool Connects(const addrinfo& address, absl::Duration timeout) {
  const Socket socket(::socket(address.ai_family,
                               SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.fd() < 0) return false;
  const int begun = connect(socket.fd(), address.ai_addr, address.ai_addrlen);
  if (begun != 0 &&
      (errno != EINPROGRESS || !FinishesConnecting(socket.fd(), timeout))) {
    return false;
  }
  return !IsItsOwnPeer(socket.fd());
}

// A socket with a free port of the loopback.
absl::StatusOr<std::pair<Socket, int>> BindAnyPort() {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof(address);
  if (bind(socket.fd(), generic, length) != 0 ||
      getsockname(socket.fd(), generic, &length) != 0) {
    return absl::UnavailableError(absl::StrCat(
        "no free port was found for a worker: ", std::strerror(errno)));
  }
  return std::pair<Socket, int>(std::move(socket), ntohs(address.sin_port));
}

}  // namespace

absl::StatusOr<HostPort> SplitHostPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  HostPort parts{.host = address.substr(0, colon), .port = ""};
  if (colon != std::string::npos) parts.port = address.substr(colon + 1);
  if (parts.host.starts_with('[') && parts.host.ends_with(']')) {
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  }
  if (!parts.host.empty() && IsPort(parts.port)) return parts;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", address, "\" is not \"host:port\""));
}

bool Answers(const std::string& address, absl::Duration timeout) {
  const absl::StatusOr<HostPort> where = SplitHostPort(address);
  if (!where.ok()) return false;
  const AddressList list = Resolve(*where);
  for (const addrinfo* a = list.get(); a != nullptr; a = a->ai_next) {
    if (Connects(*a, timeout)) return true;
  }
  return false;
}

absl::StatusOr<std::vector<int>> FreeLoopbackPorts(int count) {
  std::vector<Socket> held;  // so that no port is found twice
  std::vector<int> ports;
  for (int i = 0; i < count; ++i) {
    RK_ASSIGN_OR_RETURN(auto bound, BindAnyPort());
    held.push_back(std::move(bound.first));
    ports.push_back(bound.second);
  }
  return ports;
}

}  // namespace rekindle

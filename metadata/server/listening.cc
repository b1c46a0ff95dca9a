#include "metadata/server/listening.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <string>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/unique_fd.h"
#include "metadata/server/metadata_server.h"

namespace rekindle {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The addresses that a server on `host` and `port` would take; null if there
// are none.
AddressList Resolve(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), absl::StrCat(port).c_str(), &hints, &found) !=
      0) {
    found = nullptr;
  }
  return {found, &freeaddrinfo};
}

// A socket that listens on `address`; errno if there is none.
UniqueFd Listener(int family, const sockaddr* address, socklen_t size) {
  UniqueFd fd(
      socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, /*tcp*/ 0));
  if (!fd.ok()) return fd;
  const int on = 1;
  const int off = 0;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (family == AF_INET6) {
    setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (bind(fd.get(), address, size) == 0 && listen(fd.get(), SOMAXCONN) == 0) {
    return fd;
  }
  const int error = errno;
  fd.reset();
  errno = error;
  return fd;
}

UniqueFd Listener(const addrinfo& address) {
  return Listener(address.ai_family, address.ai_addr, address.ai_addrlen);
}

bool IsLoopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return ntohl(v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  return address.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

bool IsEveryAddress(const addrinfo& address) {
  if (address.ai_family != AF_INET) return false;
  const auto& ip = reinterpret_cast<const sockaddr_in&>(*address.ai_addr);
  return ip.sin_addr.s_addr == htonl(INADDR_ANY);
}

// Every address of this machine, of both families where there are two.
UniqueFd EveryAddress(const addrinfo& ipv4, int port) {
  sockaddr_in6 any = {};
  any.sin6_family = AF_INET6;
  any.sin6_addr = in6addr_any;
  any.sin6_port = htons(port);
  UniqueFd both =
      Listener(AF_INET6, reinterpret_cast<const sockaddr*>(&any), sizeof(any));
  return both.ok() ? std::move(both) : Listener(ipv4);
}

UniqueFd ListenAt(const addrinfo& address, int port) {
  if (address.ai_family == AF_INET) {
    reinterpret_cast<sockaddr_in*>(address.ai_addr)->sin_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in6*>(address.ai_addr)->sin6_port = htons(port);
  }
  return IsEveryAddress(address) ? EveryAddress(address, port)
                                 : Listener(address);
}

int PortOf(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET
                   ? reinterpret_cast<const sockaddr_in&>(address).sin_port
                   : reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
}

// `error` is the errno of listening.
absl::Status Explain(const std::string& host, int port, int error) {
  const std::string where =
      absl::StrCat("cannot listen on ", HostAndPort(host, port), ": ");
  switch (error) {
    case EADDRNOTAVAIL:
      return absl::InvalidArgumentError(absl::StrCat(
          where, "'", host, "' is not an address of this machine"));
    case EACCES:
      return absl::PermissionDeniedError(
          absl::StrCat(where, "the port is reserved; choose one above 1023"));
    case EADDRINUSE:
      return absl::UnavailableError(absl::StrCat(
          where, "the port is taken; choose another one, or 0 for any"));
    default:
      return absl::UnavailableError(absl::StrCat(where, std::strerror(error)));
  }
}

}  // namespace

bool IsOnlyThisMachine(const std::string& host) {
  const AddressList addresses = Resolve(host, /*port=*/0);
  for (const addrinfo* address = addresses.get(); address != nullptr;
       address = address->ai_next) {
    if (!IsLoopback(*address->ai_addr)) return false;
  }
  return addresses != nullptr;
}

std::string HostAndPort(const std::string& host, int port) {
  if (host.find(':') == std::string::npos) return absl::StrCat(host, ":", port);
  return absl::StrCat("[", host, "]:", port);
}

absl::StatusOr<std::vector<UniqueFd>> ListenOn(const std::string& host,
                                               int* port) {
  const AddressList addresses = Resolve(host, *port);
  std::vector<UniqueFd> listeners;
  int error = EADDRNOTAVAIL;
  int bound = *port;
  for (const addrinfo* each = addresses.get(); each != nullptr;
       each = each->ai_next) {
    // The second address of a name gets the port of the first.
    UniqueFd fd = ListenAt(*each, bound);
    if (!fd.ok()) {
      error = errno;
      if (error == EADDRINUSE) return Explain(host, *port, error);
      continue;
    }
    bound = PortOf(fd.get());
    listeners.push_back(std::move(fd));
  }
  if (listeners.empty()) return Explain(host, *port, error);
  *port = bound;
  return listeners;
}

}  // namespace rekindle

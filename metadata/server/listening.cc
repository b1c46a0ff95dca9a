#include "metadata/server/listening.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <string>
#include <unistd.h>

#include <sys/socket.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
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

// 0, or the errno of taking the address for a moment.
int TryToBind(const addrinfo& address) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool bound = bind(fd, address.ai_addr, address.ai_addrlen) == 0 &&
                     listen(fd, /*backlog=*/1) == 0;
  const int error = bound ? 0 : errno;
  close(fd);
  return error;
}

}  // namespace

std::string HostAndPort(const std::string& host, int port) {
  if (host.find(':') == std::string::npos) return absl::StrCat(host, ":", port);
  return absl::StrCat("[", host, "]:", port);
}

absl::Status WhyNotListening(const std::string& host, int port) {
  const std::string where =
      absl::StrCat("cannot listen on ", HostAndPort(host, port), ": ");
  const AddressList addresses = Resolve(host, port);
  const int error =
      addresses == nullptr ? EADDRNOTAVAIL : TryToBind(*addresses);
  switch (error) {
    case EADDRNOTAVAIL:
      return absl::InvalidArgumentError(absl::StrCat(
          where, "'", host, "' is not an address of this machine"));
    case EACCES:
      return absl::PermissionDeniedError(
          absl::StrCat(where, "the port is reserved; choose one above 1023"));
    case 0:
    case EADDRINUSE:
      return absl::UnavailableError(absl::StrCat(
          where, "the port is taken; choose another one, or 0 for any"));
    default:
      return absl::UnavailableError(absl::StrCat(where, std::strerror(error)));
  }
}

}  // namespace rekindle

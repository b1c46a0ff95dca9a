#include "metadata/server/http/listener.h"

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <string>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "absl/memory/memory.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"
#include "metadata/server/listening.h"

namespace rekindle::http {
namespace {

std::string TextOf(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST] = "";
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host,
              sizeof(host), nullptr, 0, NI_NUMERICHOST);
  absl::string_view text = host;
  // IPv4 on a socket of IPv6.
  absl::ConsumePrefix(&text, "::ffff:");
  return std::string(text);
}

UniqueFd OpenReserve() {
  return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

bool IsOutOfDescriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS ||
         error == ENOMEM;
}

Listener::Taken TakeFrom(int listener) {
  using State = Listener::Taken::State;
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  UniqueFd fd(accept4(listener, reinterpret_cast<sockaddr*>(&address), &size,
                      SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.ok()) {
    return {IsOutOfDescriptors(errno) ? State::kNoDescriptors : State::kNone};
  }
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return {State::kOne, std::move(fd), TextOf(address, size)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(
    const std::string& host, int port) {
  RK_ASSIGN_OR_RETURN(std::vector<UniqueFd> fds, ListenOn(host, &port));
  return absl::WrapUnique(new Listener(std::move(fds), port));
}

Listener::Listener(std::vector<UniqueFd> fds, int port)
    : fds_(std::move(fds)), port_(port), reserve_(OpenReserve()) {}

Listener::Taken Listener::Take() {
  for (const UniqueFd& fd : fds_) {
    Taken taken = TakeFrom(fd.get());
    if (taken.state != Taken::State::kNone) return taken;
  }
  return {};
}

void Listener::TurnAway() {
  reserve_.reset();
  for (const UniqueFd& fd : fds_) {
    const UniqueFd turned_away(
        accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (turned_away.ok()) break;
  }
  reserve_ = OpenReserve();
}

}  // namespace rekindle::http

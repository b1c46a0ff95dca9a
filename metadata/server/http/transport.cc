#include "metadata/server/http/transport.h"

#include <cerrno>
#include <cstddef>
#include <memory>
#include <utility>

#include <sys/socket.h>

#include "absl/strings/string_view.h"
#include "base/unique_fd.h"
#include "metadata/server/peer.h"

namespace rekindle::http {
namespace {

bool MustWait() { return errno == EAGAIN || errno == EWOULDBLOCK; }

class PlainTransport : public Transport {
 public:
  explicit PlainTransport(UniqueFd fd) : fd_(std::move(fd)) {}

  int fd() const override { return fd_.get(); }

  Transfer Read(char* buffer, size_t size) override {
    ssize_t n = 0;
    do {
      n = recv(fd_.get(), buffer, size, 0);
    } while (n < 0 && errno == EINTR);
    if (n > 0) return {Transfer::State::kDone, static_cast<size_t>(n)};
    return {n < 0 && MustWait() ? Transfer::State::kWantRead
                                : Transfer::State::kClosed};
  }

  Transfer Write(absl::string_view bytes) override {
    ssize_t n = 0;
    do {
      n = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    if (n >= 0) return {Transfer::State::kDone, static_cast<size_t>(n)};
    return {MustWait() ? Transfer::State::kWantWrite
                       : Transfer::State::kClosed};
  }

  void EndWriting() override { shutdown(fd_.get(), SHUT_WR); }
  void Describe(Peer*) const override {}

 private:
  const UniqueFd fd_;
};

}  // namespace

std::unique_ptr<Transport> MakePlainTransport(UniqueFd fd) {
  return std::make_unique<PlainTransport>(std::move(fd));
}

}  // namespace rekindle::http

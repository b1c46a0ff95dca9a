#include "metadata/server/self_check.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/codegen/method_handler.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/support/byte_buffer.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"
#include "metadata/api/open_store.h"
#include "metadata/api/reader_lane.h"
#include "metadata/server/grpc_call.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle {
namespace {

constexpr char kPath[] = "/rekindle.v1.SelfCheck/Ask";

// When its buffers are full gRPC ends connections, whichever they are. Clients
// come back, and so does the server's own question.
constexpr int kTries = 3;

absl::Status AskStore(Store& store) {
  const ScopedReaderLane lane(ReaderLane::kReserved);
  ml_metadata::GetArtifactTypesByIDRequest any_type;
  any_type.add_type_ids(1);
  return store.metadata().GetArtifactTypesByID(any_type).status();
}

class SelfCheckService final : public grpc::Service {
 public:
  // Neither is owned, and both must outlive the service.
  SelfCheckService(Store& store, const SelfCheck& check)
      : store_(store), check_(check) {
    using Handler =
        grpc::internal::RpcMethodHandler<SelfCheckService, grpc::ByteBuffer,
                                         grpc::ByteBuffer>;
    AddMethod(new grpc::internal::RpcServiceMethod(
        kPath, grpc::internal::RpcMethod::NORMAL_RPC,
        new Handler(
            [](SelfCheckService* self, grpc::ServerContext* context,
               const grpc::ByteBuffer*, grpc::ByteBuffer* answer) {
              return self->Answer(*context, *answer);
            },
            this)));
  }

 private:
  grpc::Status Answer(const grpc::ServerContext& context,
                      grpc::ByteBuffer& answer) {
    if (!check_.IsOwnPeer(context.peer())) {
      return {grpc::StatusCode::UNIMPLEMENTED, "it is for the server itself"};
    }
    const ScopedDeadline deadline(absl::FromChrono(context.deadline()));
    const grpc::Slice nothing;
    answer = grpc::ByteBuffer(&nothing, 1);
    return ToGrpc(AskStore(store_));
  }

  Store& store_;
  const SelfCheck& check_;
};

absl::Status Failed(absl::string_view what) {
  return absl::UnavailableError(absl::StrCat(
      "the server cannot ask itself: ", what, ": ", std::strerror(errno)));
}

// An address of this machine, with a port.
class LocalAddress {
 public:
  // The one to reach who listens on the address `host`. Who listens on all
  // listens on that of IPv4's loopback, too.
  LocalAddress(const std::string& host, int port) {
    auto& ipv6 = reinterpret_cast<sockaddr_in6&>(address_);
    auto& ipv4 = reinterpret_cast<sockaddr_in&>(address_);
    if (inet_pton(AF_INET6, host.c_str(), &ipv6.sin6_addr) == 1 &&
        !IN6_IS_ADDR_UNSPECIFIED(&ipv6.sin6_addr)) {
      address_.ss_family = AF_INET6;
      ipv6.sin6_port = htons(port);
      return;
    }
    address_ = {};
    address_.ss_family = AF_INET;
    ipv4.sin_port = htons(port);
    if (inet_pton(AF_INET, host.c_str(), &ipv4.sin_addr) != 1 ||
        ipv4.sin_addr.s_addr == htonl(INADDR_ANY)) {
      ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
  }

  // What a socket is bound to.
  explicit LocalAddress(int fd) {
    socklen_t size = sizeof(address_);
    getsockname(fd, reinterpret_cast<sockaddr*>(&address_), &size);
  }

  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&address_);
  }
  static socklen_t size() { return sizeof(sockaddr_storage); }
  int family() const { return address_.ss_family; }

  std::pair<std::string, int> text() const {
    std::array<char, INET6_ADDRSTRLEN> text = {};
    if (family() == AF_INET) {
      const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address_);
      inet_ntop(AF_INET, &ipv4.sin_addr, text.data(), text.size());
      return {text.data(), ntohs(ipv4.sin_port)};
    }
    const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address_);
    inet_ntop(AF_INET6, &ipv6.sin6_addr, text.data(), text.size());
    return {text.data(), ntohs(ipv6.sin6_port)};
  }

 private:
  sockaddr_storage address_ = {};
};

// A socket with a port of its own, not connected.
absl::StatusOr<UniqueFd> BoundSocket(const std::string& host) {
  const LocalAddress any_port(host, 0);
  UniqueFd fd(
      socket(any_port.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.ok()) return Failed("no socket");
  if (bind(fd.get(), any_port.get(), LocalAddress::size()) != 0) {
    return Failed("no port");
  }
  return fd;
}

absl::Status Connect(int fd, const LocalAddress& to, absl::Time deadline) {
  if (connect(fd, to.get(), LocalAddress::size()) == 0) return absl::OkStatus();
  if (errno != EINPROGRESS) return Failed("no connection");
  pollfd connected = {fd, POLLOUT, 0};
  const absl::Duration left =
      std::max(deadline - absl::Now(), absl::ZeroDuration());
  if (poll(&connected, 1, static_cast<int>(absl::ToInt64Milliseconds(left))) <=
      0) {
    errno = ETIMEDOUT;
    return Failed("no connection");
  }
  socklen_t size = sizeof(errno);
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &errno, &size);
  return errno == 0 ? absl::OkStatus() : Failed("no connection");
}

absl::Status AskOver(UniqueFd fd, absl::Time deadline) {
  const auto channel = grpc::CreateInsecureChannelFromFd("self", fd.release());
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(deadline));
  const grpc::internal::RpcMethod method(kPath,
                                         grpc::internal::RpcMethod::NORMAL_RPC);
  const grpc::Slice nothing;
  const grpc::ByteBuffer request(&nothing, 1);
  grpc::ByteBuffer answer;
  const grpc::Status status =
      grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
          channel.get(), method, &context, request, &answer);
  return {static_cast<absl::StatusCode>(status.error_code()),
          status.error_message()};
}

}  // namespace

SelfCheck::SelfCheck(Store& store)
    : service_(std::make_unique<SelfCheckService>(store, *this)) {}

absl::Status SelfCheck::Ask(const std::string& host, int port,
                            absl::Time deadline) {
  absl::Status answer;
  for (int i = 0; i < kTries; ++i) {
    answer = AskOnce(host, port, deadline);
    if (!absl::IsUnavailable(answer) || absl::Now() >= deadline) break;
  }
  return answer;
}

absl::Status SelfCheck::AskOnce(const std::string& host, int port,
                                absl::Time deadline) {
  RK_ASSIGN_OR_RETURN(UniqueFd fd, BoundSocket(host));
  // Before it is connected: whoever accepts it must know it.
  const std::pair<std::string, int> own = LocalAddress(fd.get()).text();
  {
    const absl::MutexLock lock(&mutex_);
    own_.insert(own);
  }
  const absl::Cleanup forget = [this, &own] {
    const absl::MutexLock lock(&mutex_);
    own_.erase(own);
  };
  RK_RETURN_IF_ERROR(Connect(fd.get(), LocalAddress(host, port), deadline));
  return AskOver(std::move(fd), deadline);
}

bool SelfCheck::IsOwn(const std::string& address, int port) const {
  const absl::MutexLock lock(&mutex_);
  return own_.count({address, port}) > 0;
}

bool SelfCheck::IsOwnPeer(absl::string_view peer) const {
  const absl::MutexLock lock(&mutex_);
  return std::any_of(own_.begin(), own_.end(), [peer](const auto& own) {
    return peer == absl::StrCat("ipv4:", own.first, ":", own.second) ||
           peer == absl::StrCat("ipv6:%5B", own.first, "%5D:", own.second);
  });
}

}  // namespace rekindle

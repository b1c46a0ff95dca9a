#include "component/strategies/peers.h"

#include <cstddef>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "component/strategies/host_port.h"
#include "component/strategies/tf_config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Accepts connections at a port of the loopback, until it is destroyed.
class Listener {
 public:
  Listener() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t length = sizeof(address);
    EXPECT_EQ(bind(fd_, generic, length), 0);
    EXPECT_EQ(getsockname(fd_, generic, &length), 0);
    EXPECT_EQ(listen(fd_, SOMAXCONN), 0);
    address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  }
  ~Listener() { close(fd_); }

  const std::string& address() const { return address_; }

 private:
  const int fd_;
  std::string address_;
};

std::string DeadAddress() {
  const absl::StatusOr<std::vector<int>> ports = FreeLoopbackPorts(1);
  return absl::StrCat("127.0.0.1:", ports->front());
}

TEST(PeersTest, OnlyOthersThatAcceptNoConnectionAreSilent) {
  const Listener listener;
  const std::string dead = DeadAddress();
  const Cluster cluster{
      .workers = {dead, listener.address(), "no-such-host.invalid:1"},
      .worker = 1};
  EXPECT_THAT(SilentPeers(cluster), ElementsAre(0, 2));
  EXPECT_EQ(WorkerName(cluster, 0), "worker 0 (" + dead + ")");
}

TEST(PeersTest, WaitsUntilAllAreThere) {
  const std::vector<Listener> listeners(2);
  const Cluster cluster{.workers = {DeadAddress(), listeners[0].address(),
                                    listeners[1].address()}};
  std::ostringstream log;
  EXPECT_TRUE(
      WaitForPeers(cluster, {.timeout = absl::InfiniteDuration(), .log = &log})
          .ok());
  EXPECT_THAT(log.str(), IsEmpty());
}

TEST(PeersTest, GivesUpWithTheNameOfWhoIsMissing) {
  const Listener listener;
  const std::string dead = DeadAddress();
  const Cluster cluster{.workers = {DeadAddress(), listener.address(), dead}};
  std::ostringstream log;
  const absl::Status given_up =
      WaitForPeers(cluster, {.timeout = absl::Milliseconds(1200), .log = &log});
  EXPECT_EQ(given_up.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(given_up.message(),
              HasSubstr("cannot reach worker 2 (" + dead + ")"));
  EXPECT_EQ(log.str(), "waiting for worker 2 (" + dead + ")\n");
}

TEST(PeersTest, AWaitCanBeStopped) {
  const Cluster cluster{.workers = {DeadAddress(), DeadAddress()}};
  std::ostringstream log;
  const auto stop = [] { return true; };
  EXPECT_EQ(WaitForPeers(cluster, {.timeout = absl::InfiniteDuration(),
                                   .should_stop = stop,
                                   .log = &log})
                .code(),
            absl::StatusCode::kCancelled);
  const Listener chief;
  EXPECT_EQ(
      WaitForChiefsEnd({.workers = {chief.address(), "b:1"}, .worker = 1}, stop)
          .code(),
      absl::StatusCode::kCancelled);
}

TEST(PeersTest, AChiefThatIsGoneIsNotWaitedFor) {
  const Cluster cluster{.workers = {DeadAddress(), "b:1"}, .worker = 1};
  EXPECT_TRUE(WaitForChiefsEnd(cluster, [] { return false; }).ok());
}

TEST(HostPortTest, FreePortsAreDistinct) {
  const absl::StatusOr<std::vector<int>> ports = FreeLoopbackPorts(20);
  ASSERT_TRUE(ports.ok()) << ports.status();
  EXPECT_EQ(std::set<int>(ports->begin(), ports->end()).size(), 20u);
}

}  // namespace
}  // namespace rekindle

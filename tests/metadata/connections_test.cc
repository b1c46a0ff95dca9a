#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/unique_fd.h"
#include "metadata/server/acceptor.h"
#include "metadata/server/limits/client_budget.h"
#include "metadata/server/limits/connection_limits.h"
#include "metadata/server/limits/connection_table.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

UniqueFd Socket() { return UniqueFd(socket(AF_INET, SOCK_STREAM, 0)); }

UniqueFd ConnectTo(int port) {
  UniqueFd fd = Socket();
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  EXPECT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
                    sizeof(address)),
            0);
  return fd;
}

TEST(ClientBudgetTest, NoClientHasMoreThanItsShare) {
  ClientBudget budget({.all = 3, .each = 2});
  auto first = budget.Take("a");
  const auto second = budget.Take("a");
  EXPECT_TRUE(second.has_value());
  EXPECT_FALSE(budget.Take("a").has_value());
  EXPECT_EQ(budget.refused(), 1);
  first.reset();
  EXPECT_TRUE(budget.Take("a").has_value());
}

TEST(ClientBudgetTest, AllTogetherHaveNoMoreThanThereIs) {
  ClientBudget budget({.all = 2, .each = 2});
  const auto first = budget.Take("a");
  const auto second = budget.Take("b");
  EXPECT_FALSE(budget.Take("c").has_value());
  EXPECT_EQ(budget.taken(), 2);
}

TEST(ConnectionLimitsTest, TheyLeaveDescriptorsForOthers) {
  EXPECT_EQ(ConnectionLimits(1024, 0, 0).all, 464);
  EXPECT_EQ(ConnectionLimits(1024, 0, 0).each, 232);
  EXPECT_EQ(ConnectionLimits(1 << 20, 0, 0).all, 512);
  EXPECT_EQ(ConnectionLimits(1024, 2000, 5).all, 464);
  EXPECT_EQ(ConnectionLimits(1024, 100, 5).each, 5);
  EXPECT_GT(ConnectionLimits(64, 0, 0).all, 0);
}

class ConnectionTableTest : public ::testing::Test {
 protected:
  FakeClock clock_{absl::UnixEpoch()};
  ConnectionTable table_{{.all = 2, .each = 2}, clock_};
};

TEST_F(ConnectionTableTest, WhatOthersCloseMakesRoom) {
  UniqueFd first = Socket();
  const UniqueFd second = Socket();
  const UniqueFd third = Socket();
  ASSERT_TRUE(table_.Add(first.get(), "a"));
  ASSERT_TRUE(table_.Add(second.get(), "a"));
  EXPECT_FALSE(table_.Add(third.get(), "a"));
  EXPECT_EQ(table_.refused(), 1);
  first.reset();
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(table_.Add(third.get(), "a"));
}

TEST_F(ConnectionTableTest, ADescriptorThatIsUsedAgainIsAnotherConnection) {
  UniqueFd first = Socket();
  ASSERT_TRUE(table_.Add(first.get(), "a"));
  const int number = first.get();
  first.reset();
  const UniqueFd again = Socket();
  ASSERT_EQ(again.get(), number);
  EXPECT_EQ(table_.open(), 0);
}

TEST_F(ConnectionTableTest, LooksAtAllDescriptorsNowAndThenOnly) {
  UniqueFd first = Socket();
  const UniqueFd second = Socket();
  ASSERT_TRUE(table_.Add(first.get(), "a"));
  ASSERT_TRUE(table_.Add(second.get(), "a"));
  EXPECT_FALSE(table_.Add(second.get(), "a"));
  first.reset();
  EXPECT_FALSE(table_.Add(second.get(), "a"));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(table_.Add(second.get(), "a"));
}

TEST_F(ConnectionTableTest, CutsTheConnectionThatIsNamed) {
  std::vector<int> pair(2);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  const UniqueFd ours(pair[0]);
  const UniqueFd theirs(pair[1]);
  ASSERT_TRUE(table_.Add(ours.get(), "a", 7));
  char byte = 0;
  table_.Cut("a", 8);
  EXPECT_EQ(recv(theirs.get(), &byte, 1, MSG_DONTWAIT), -1);
  table_.Cut("a", 7);
  EXPECT_EQ(recv(theirs.get(), &byte, 1, 0), 0);
}

TEST(AcceptorTest, HandsOverAConnectionWithItsClient) {
  RK_ASSERT_OK_AND_ASSIGN(const auto acceptor, Acceptor::Listen("0.0.0.0", 0));
  absl::Notification came;
  Acceptor::Connection connection;
  acceptor->Start([&](Acceptor::Connection taken) {
    connection = std::move(taken);
    came.Notify();
  });
  const UniqueFd client = ConnectTo(acceptor->port());
  came.WaitForNotification();
  EXPECT_EQ(connection.client, "127.0.0.1");
  EXPECT_GT(connection.port, 0);
}

// Lowers the limit on open files to those that are open.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(Socket().get());
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(AcceptorTest, AConnectionThatFindsNoDescriptorIsClosedAndTheNextIsTaken) {
  RK_ASSERT_OK_AND_ASSIGN(const auto acceptor,
                          Acceptor::Listen("127.0.0.1", 0));
  absl::Notification came;
  UniqueFd refused = ConnectTo(acceptor->port());
  {
    const NoMoreDescriptors none;
    acceptor->Start([&](const Acceptor::Connection&) { came.Notify(); });
    char byte = 0;
    EXPECT_LE(recv(refused.get(), &byte, 1, 0), 0);
  }
  const UniqueFd client = ConnectTo(acceptor->port());
  came.WaitForNotification();
}

}  // namespace
}  // namespace rekindle

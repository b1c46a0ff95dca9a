#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <malloc.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "metadata/server/http/front.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"
#include "metadata/server/http/worker_pool.h"
#include "tests/support/status_matchers.h"

namespace rekindle::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A client that sends what no library would.
class Client {
 public:
  explicit Client(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address),
                         sizeof(address)) == 0;
  }
  ~Client() { close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  // Whether the other end has closed it; what came before is not read.
  bool closed() const {
    char byte = 0;
    const ssize_t n = recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno == ECONNRESET);
  }

  void Send(absl::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      text.remove_prefix(n);
    }
  }

  // Until the other end closes.
  std::string ReadAll() {
    while (Receive()) {
    }
    return std::exchange(received_, {});
  }

  void ReadSome() { Receive(); }

  // One answer, whose body has a length.
  std::string ReadAnswer() {
    while (true) {
      const size_t head = received_.find("\r\n\r\n");
      const size_t length = received_.find("Content-Length: ");
      size_t size = 0;
      if (head != std::string::npos && length != std::string::npos &&
          absl::SimpleAtoi(
              received_.substr(length + 16,
                               received_.find('\r', length) - length - 16),
              &size) &&
          received_.size() >= head + 4 + size) {
        std::string answer = received_.substr(0, head + 4 + size);
        received_.erase(0, answer.size());
        return answer;
      }
      if (!Receive()) return std::exchange(received_, {});
    }
  }

 private:
  bool Receive() {
    char buffer[4096];
    const ssize_t n = recv(fd_, buffer, sizeof(buffer), 0);
    if (n > 0) received_.append(buffer, n);
    return n > 0;
  }

  const int fd_;
  bool connected_ = false;
  std::string received_;
};

// Answers with the request's body; /slow waits until it may go on.
class TestHandler : public Handler {
 public:
  Lane LaneOf(const Head& head) const override {
    if (head.path == "/at-once") return Lane::kAtOnce;
    return head.path == "/status" ? Lane::kStatus : Lane::kCalls;
  }
  Answer Handle(Request request) override {
    if (request.head.path == "/throw") throw std::runtime_error("no memory");
    if (request.head.path == "/large") {
      return {200, "text/plain", std::string(64 << 20, 'x')};
    }
    if (request.head.path == "/slow") {
      if (!called.HasBeenNotified()) called.Notify();
      go_on.WaitForNotification();
    }
    return {200, "text/plain",
            absl::StrCat(request.head.path, " ", request.peer.address, " ",
                         request.body)};
  }

  absl::Notification called;
  absl::Notification go_on;
};

class HttpFrontTest : public ::testing::Test {
 protected:
  void Start(const Limits& limits = {}) {
    FrontOptions options;
    options.host = "127.0.0.1";
    options.limits = limits;
    RK_ASSERT_OK_AND_ASSIGN(front_, StartFront(options, handler_, clock_));
  }
  Client Connect() const { return Client(front_->port()); }
  std::unique_ptr<Client> ConnectAndSend(absl::string_view text) const {
    auto client = std::make_unique<Client>(front_->port());
    client->Send(text);
    return client;
  }
  std::string Ask(absl::string_view text) const {
    return ConnectAndSend(text)->ReadAnswer();
  }
  static int CountClosed(const std::vector<std::unique_ptr<Client>>& clients) {
    return static_cast<int>(
        std::count_if(clients.begin(), clients.end(),
                      [](const auto& client) { return client->closed(); }));
  }
  static std::string Get(absl::string_view path) {
    return absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  static std::string Post(absl::string_view path, absl::string_view body) {
    return absl::StrCat("POST ", path,
                        " HTTP/1.1\r\nHost: localhost\r\nContent-Length: ",
                        body.size(), "\r\n\r\n", body);
  }

  FakeClock clock_{absl::FromUnixSeconds(1'000'000)};
  TestHandler handler_;
  std::unique_ptr<Front> front_;
};

TEST_F(HttpFrontTest, RequestsOfAConnectionAreAnsweredInTurn) {
  Start();
  Client client = Connect();
  client.Send(Post("/a", "1") + Get("/at-once") + Post("/b", "2"));
  EXPECT_THAT(client.ReadAnswer(), HasSubstr("/a 127.0.0.1 1"));
  EXPECT_THAT(client.ReadAnswer(), HasSubstr("/at-once 127.0.0.1 "));
  EXPECT_THAT(client.ReadAnswer(), HasSubstr("/b 127.0.0.1 2"));
}

TEST_F(HttpFrontTest, AHeadIsAnsweredWithoutABody) {
  Start();
  Client client = Connect();
  client.Send(
      "HEAD /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 13\r\n"));
  EXPECT_TRUE(absl::EndsWith(answer, "\r\n\r\n"));
}

TEST_F(HttpFrontTest, ARequestIsJudgedBeforeItsBodyComes) {
  Start();
  Client client = Connect();
  client.Send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
      "Content-Length: 1000\r\n\r\n");
  EXPECT_THAT(client.ReadAnswer(), StartsWith("HTTP/1.1 403 "));
}

TEST_F(HttpFrontTest, AClientThatWaitsForConsentGetsIt) {
  Start();
  Client client = Connect();
  client.Send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 2\r\nConnection: close\r\n\r\n");
  client.Send("{}");
  EXPECT_THAT(client.ReadAll(), HasSubstr("HTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpFrontTest, AHandlerThatThrowsIsAnError) {
  Start();
  EXPECT_THAT(Ask(Get("/throw")), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Ask(Get("/a")), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpFrontTest, AnotherNameIsRefusedExceptForTheServersState) {
  Start();
  const std::string rest = " HTTP/1.1\r\nHost: evil.example\r\n\r\n";
  EXPECT_THAT(Ask("GET /a" + rest), StartsWith("HTTP/1.1 421 "));
  EXPECT_THAT(Ask("GET /at-once" + rest), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask("GET /status" + rest), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpFrontTest, AStateIsToldWhileAllWorkersAreBusy) {
  Limits limits;
  limits.calls = {1, 1, 1};
  Start(limits);
  const auto busy = ConnectAndSend(Get("/slow"));
  handler_.called.WaitForNotification();
  const auto waiting = ConnectAndSend(Get("/a"));
  // Connections are read in the order of their coming, as a rule.
  EXPECT_THAT(Ask(Get("/status")), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask(Get("/at-once")), StartsWith("HTTP/1.1 200 "));
  const std::string refused = Ask(Get("/b"));
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(refused, HasSubstr("Retry-After: 1\r\n"));
  handler_.go_on.Notify();
  EXPECT_THAT(busy->ReadAnswer(), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(waiting->ReadAnswer(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpFrontTest, AClientThatDripsIsGivenUp) {
  Start();
  Client head = Connect();
  Client body = Connect();
  head.Send("GET / HTTP/1.1\r\nHost: ");
  body.Send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1");
  EXPECT_THAT(Ask(Get("/at-once")), StartsWith("HTTP/1.1 200 "));
  clock_.Advance(absl::Seconds(11));
  EXPECT_THAT(head.ReadAll(), StartsWith("HTTP/1.1 408 "));
  body.Send("2");
  EXPECT_THAT(Ask(Get("/at-once")), StartsWith("HTTP/1.1 200 "));
  clock_.Advance(absl::Seconds(50));
  EXPECT_THAT(body.ReadAll(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(HttpFrontTest, ASilentConnectionIsClosed) {
  Start();
  Client silent = Connect();
  Client idle = Connect();
  idle.Send(Get("/at-once"));
  EXPECT_THAT(idle.ReadAnswer(), StartsWith("HTTP/1.1 200 "));
  clock_.Advance(absl::Seconds(31));
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_EQ(idle.ReadAll(), "");
}

TEST_F(HttpFrontTest, AConnectionMoreClosesOneThatIsWaitedFor) {
  Limits limits;
  limits.connections = 4;
  Start(limits);
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 8; ++i) slow.push_back(ConnectAndSend("GET / HTTP"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(Ask(Get("/at-once")), StartsWith("HTTP/1.1 200 "));
  }
  EXPECT_GE(CountClosed(slow), 5);
}

TEST_F(HttpFrontTest, AClientHasASmallerShareOfTheConnections) {
  Limits limits;
  limits.connections_per_client = 2;
  Start(limits);
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 10; ++i) slow.push_back(ConnectAndSend("GET "));
  EXPECT_THAT(Ask(Get("/at-once")), StartsWith("HTTP/1.1 200 "));
  EXPECT_GE(CountClosed(slow), 8);
}

TEST_F(HttpFrontTest, ConnectionsAtWorkAreKeptAndOthersTurnedAway) {
  Limits limits;
  limits.connections = 1;
  Start(limits);
  const auto busy = ConnectAndSend(Get("/slow"));
  handler_.called.WaitForNotification();
  EXPECT_THAT(Connect().ReadAll(), StartsWith("HTTP/1.1 503 "));
  handler_.go_on.Notify();
  EXPECT_THAT(busy->ReadAnswer(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpFrontTest, ASlowBodyGivesItsMemoryToAnother) {
  Limits limits;
  limits.own_bytes = 0;
  limits.shared_bytes = 1500;  // a body, and what others are told
  Start(limits);
  const auto slow = ConnectAndSend(absl::StrCat(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
      std::string(900, 'x')));
  // Too young to be called slow.
  std::string refused;
  while (!absl::StartsWith(refused, "HTTP/1.1 503 ")) {
    refused = Ask(Post("/a", std::string(900, 'y')));
  }
  EXPECT_THAT(Ask(Post("/a", std::string(50, 'y'))),
              StartsWith("HTTP/1.1 200 "));
  clock_.Advance(absl::Seconds(2));
  EXPECT_THAT(Ask(Post("/a", std::string(900, 'y'))),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(slow->ReadAll(), StartsWith("HTTP/1.1 503 "));
}

TEST_F(HttpFrontTest, LargeAnswersThatNobodyReadsAreLimitedAndGivenUp) {
  Limits limits;
  limits.shared_bytes = 100 << 20;
  Start(limits);
  Client slow = Connect();
  slow.Send(Get("/large"));
  slow.ReadSome();  // the memory of its answer is taken
  EXPECT_THAT(Ask(Get("/large")), StartsWith("HTTP/1.1 503 "));
  clock_.Advance(absl::Seconds(61));
  EXPECT_LT(slow.ReadAll().size(), 64 << 20);
  EXPECT_THAT(Ask(Get("/large")).substr(0, 100), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpFrontTest, StopEndsWhateverItsClientsDo) {
  Start();
  Client idle = Connect();
  Client head = Connect();
  head.Send("GET / HTTP/1.1\r\nHost: ");
  Client unread = Connect();
  unread.Send(Get("/large"));
  EXPECT_THAT(Ask(Get("/at-once")), StartsWith("HTTP/1.1 200 "));
  front_->Stop(clock_.Now());
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_EQ(head.ReadAll(), "");
  EXPECT_FALSE(Connect().connected());
}

TEST_F(HttpFrontTest, StopFinishesWhatIsComplete) {
  Start();
  const auto busy = ConnectAndSend(Get("/slow"));
  handler_.called.WaitForNotification();
  std::thread stopping(
      [this] { front_->Stop(clock_.Now() + absl::Minutes(1)); });
  while (Connect().connected()) {
  }
  handler_.go_on.Notify();
  EXPECT_THAT(busy->ReadAll(), HasSubstr("Connection: close\r\n"));
  stopping.join();
}

TEST(WorkerPoolTest, RefusesWhatItCannotKeep) {
  WorkerPool pool({.threads = 1, .threads_per_client = 1, .waiting = 1});
  absl::Notification begun;
  absl::Notification go_on;
  EXPECT_TRUE(pool.Run("a", [&] {
    begun.Notify();
    go_on.WaitForNotification();
  }));
  begun.WaitForNotification();
  bool done = false;
  EXPECT_TRUE(pool.Run("a", [&] { done = true; }));
  EXPECT_FALSE(pool.Run("b", [] {}));
  go_on.Notify();
  pool.Stop();
  EXPECT_TRUE(done);
}

// There are more addresses than memory.
TEST(WorkerPoolTest, KeepsNothingOfClientsThatItRefuses) {
  absl::Notification begun;
  absl::Notification go_on;
  WorkerPool pool({.threads = 1, .threads_per_client = 1, .waiting = 1});
  EXPECT_TRUE(pool.Run("busy", [&] {
    begun.Notify();
    go_on.WaitForNotification();
  }));
  begun.WaitForNotification();
  EXPECT_TRUE(pool.Run("busy", [] {}));
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_FALSE(pool.Run(absl::StrCat("2001:db8::", i), [] {}));
  }
  EXPECT_LT(mallinfo2().uordblks, before + (256 << 10));
  go_on.Notify();
}

TEST(WorkerPoolTest, AClientThatBringsMuchWaitsForItself) {
  absl::Notification go_on;
  absl::Notification others_done;
  WorkerPool pool({.threads = 2, .threads_per_client = 1, .waiting = 100});
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(pool.Run("much", [&] { go_on.WaitForNotification(); }));
  }
  EXPECT_TRUE(pool.Run("little", [&] { others_done.Notify(); }));
  others_done.WaitForNotification();
  go_on.Notify();
}

TEST(WorkerPoolTest, AClientMayNotFillTheQueue) {
  absl::Notification go_on;
  WorkerPool pool({.threads = 1, .threads_per_client = 1, .waiting = 10});
  int taken = 0;
  while (pool.Run("much", [&] { go_on.WaitForNotification(); })) ++taken;
  EXPECT_LE(taken, 8);
  EXPECT_TRUE(pool.Run("little", [] {}));
  go_on.Notify();
}

}  // namespace
}  // namespace rekindle::http

#include "metadata/server/http/front.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"
#include "metadata/server/http/answer_text.h"
#include "metadata/server/http/byte_budget.h"
#include "metadata/server/http/connection.h"
#include "metadata/server/http/connection_table.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/listener.h"
#include "metadata/server/http/message.h"
#include "metadata/server/http/origin_rules.h"
#include "metadata/server/http/tls.h"
#include "metadata/server/http/transport.h"
#include "metadata/server/http/worker_pool.h"

namespace rekindle::http {
namespace {

using Event = Connection::Event;

// What an event of epoll is about; connections are numbered from here on.
constexpr uint64_t kListener = 0;
constexpr uint64_t kWake = 1;
constexpr uint64_t kFirstConnection = 2;

constexpr size_t kBuffer = 64 << 10;
constexpr int kAcceptsPerTurn = 16;
// How exactly deadlines are kept.
constexpr absl::Duration kTick = absl::Milliseconds(100);
// Who is less behind gives its memory to nobody.
constexpr absl::Duration kSlow = absl::Seconds(1);

Answer HandleSafely(Handler& handler, Request request) {
  try {
    return handler.Handle(std::move(request));
  } catch (const std::exception& error) {
    return AnswerOf({500, absl::InternalError(absl::StrCat(
                              "the request cannot be done: ", error.what()))});
  }
}

// A request that a worker has, and whether its client is still there.
struct Job {
  uint64_t connection;
  Request request;
  std::atomic<bool> abandoned = false;
};

// Answers on their way from the workers to the connections' thread, which wakes
// up for them. Thread-safe.
class Answers {
 public:
  Answers() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  int fd() const { return fd_.get(); }

  // Not const: who waits for it sees a change.
  // NOLINTNEXTLINE(readability-make-member-function-const)
  void Wake() {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = write(fd_.get(), &one, sizeof(one));
  }

  void Add(uint64_t connection, Answer answer) {
    bool first = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      first = answers_.empty();
      answers_.emplace_back(connection, std::move(answer));
    }
    if (first) Wake();
  }

  std::vector<std::pair<uint64_t, Answer>> TakeAll() {
    uint64_t wakes = 0;
    [[maybe_unused]] const ssize_t n = read(fd_.get(), &wakes, sizeof(wakes));
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(answers_, {});
  }

 private:
  const UniqueFd fd_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::pair<uint64_t, Answer>> answers_;
};

// Everything but Stop() and port() runs on one thread.
class EpollFront : public Front {
 public:
  EpollFront(const FrontOptions& options, Handler& handler, const Clock& clock,
             std::unique_ptr<Listener> listener, std::unique_ptr<TlsServer> tls)
      : limits_(options.limits),
        handler_(handler),
        clock_(clock),
        port_(listener->port()),
        listener_(std::move(listener)),
        tls_(std::move(tls)),
        budget_(options.limits.shared_bytes),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        status_(options.limits.status),
        reads_(options.limits.reads),
        calls_(options.limits.calls),
        buffer_(kBuffer) {
    hosts_.names = options.allowed_hosts;
    hosts_.names.push_back(options.host);
    if (tls_ != nullptr) {
      hosts_.certified = [this](const std::string& name) {
        return tls_->IsFor(name);
      };
    }
  }

  ~EpollFront() override { Stop(absl::InfinitePast()); }

  absl::Status Start() {
    if (!epoll_.ok() || answers_.fd() < 0) {
      return absl::ResourceExhaustedError(
          "the process may not open the files that it needs to listen");
    }
    for (const UniqueFd& fd : listener_->fds()) {
      Watch(EPOLL_CTL_ADD, fd.get(), kListener, EPOLLIN);
    }
    Watch(EPOLL_CTL_ADD, answers_.fd(), kWake, EPOLLIN);
    thread_ = std::thread([this] { Run(); });
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  void Stop(absl::Time deadline) override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = deadline;
    }
    answers_.Wake();
    thread_.join();
    for (WorkerPool* pool : {&status_, &reads_, &calls_}) pool->Stop();
  }

 private:
  void Watch(int operation, int fd, uint64_t what, uint32_t events) const {
    epoll_event event = {};
    event.events = events;
    event.data.u64 = what;
    epoll_ctl(epoll_.get(), operation, fd, &event);
  }

  void Run() {
    now_ = clock_.Now();
    while (!HasEnded()) {
      WaitAndServe();
      ServeThoseWithMore();
      KeepDeadlines();
    }
    for (const uint64_t id : table_.Ids()) Close(id);
  }

  // Whether it was told to stop and nothing is left that is waited for.
  bool HasEnded() {
    std::optional<absl::Time> stop;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop = stop_;
    }
    if (!stop.has_value()) return false;
    if (listener_ != nullptr) BeginToStop(*stop);
    CloseThoseWithNothing();
    return table_.size() == 0 || now_ >= *stop;
  }

  void CloseThoseWithNothing() {
    for (const uint64_t id : table_.Ids()) {
      if (table_.Find(id)->worth() == Connection::Worth::kNothing) Close(id);
    }
  }

  void BeginToStop(absl::Time deadline) {
    listener_ = nullptr;
    for (const uint64_t id : table_.Ids()) {
      Connection& connection = *table_.Find(id);
      switch (connection.worth()) {
        case Connection::Worth::kNothing:
          break;
        case Connection::Worth::kHead:
        case Connection::Worth::kBody:
          connection.Hurry(std::min(deadline, now_ + limits_.last_bytes_time));
          break;
        case Connection::Worth::kAnswer:
        case Connection::Worth::kWork:
          connection.Hurry(deadline);
          break;
      }
    }
  }

  int TimeoutMillis() const {
    if (!more_.empty()) return 0;
    if (table_.size() == 0) return -1;
    return static_cast<int>(absl::ToInt64Milliseconds(kTick));
  }

  void WaitAndServe() {
    std::array<epoll_event, 64> events;
    const int count =
        epoll_wait(epoll_.get(), events.data(), events.size(), TimeoutMillis());
    now_ = clock_.Now();
    bool has_new = false;
    for (int i = 0; i < count; ++i) {
      const uint64_t what = events[i].data.u64;
      if (what == kListener) {
        has_new = true;
      } else if (what == kWake) {
        SendAnswers();
      } else {
        OnReady(what, events[i].events);
      }
    }
    // The last, so that those who have sent something are not closed for it.
    if (has_new) TakeConnections();
  }

  void OnReady(uint64_t id, uint32_t events) {
    Connection* const connection = table_.Find(id);
    if (connection == nullptr) return;
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) return Close(id);
    Serve(*connection);
  }

  void ServeThoseWithMore() {
    for (const uint64_t id : std::exchange(more_, {})) {
      Connection* const connection = table_.Find(id);
      if (connection != nullptr) Serve(*connection);
    }
  }

  // Goes on with a connection as far as that is possible now.
  void Serve(Connection& connection) {
    const uint32_t watched = connection.interest();
    while (true) {
      switch (connection.Advance(now_, absl::MakeSpan(buffer_))) {
        case Event::kWait:
          return WatchAgain(connection, watched);
        case Event::kMore:
          more_.push_back(connection.id());
          return WatchAgain(connection, watched);
        case Event::kHead:
          Judge(connection);
          break;
        case Event::kNoRoom:
          MakeRoom(connection);
          break;
        case Event::kRequest:
          if (!Dispatch(connection)) return;
          break;
        case Event::kClosed:
          return Close(connection.id());
      }
    }
  }

  void WatchAgain(const Connection& connection, uint32_t watched) const {
    if (connection.interest() == watched) return;
    Watch(EPOLL_CTL_MOD, connection.fd(), connection.id(),
          connection.interest());
  }

  void Judge(Connection& connection) {
    const Head& head = connection.head();
    std::optional<Refusal> refusal;
    const Lane lane = handler_.LaneOf(head);
    if (lane == Lane::kReads || lane == Lane::kCalls) {
      refusal = CheckOrigin(head, hosts_);
      if (!refusal.has_value()) {
        refusal = handler_.Judge(head, connection.peer());
      }
    }
    if (refusal.has_value()) return connection.Refuse(*refusal, now_);
    connection.Admit();
  }

  // For a body that others leave no room.
  void MakeRoom(Connection& connection) {
    while (!connection.TakeRoomForBody()) {
      if (EndSlowest(connection)) continue;
      return connection.Refuse(Busy("other requests take up its memory"), now_);
    }
  }

  // Whether another that is slow has given its memory away.
  bool EndSlowest(const Connection& except) {
    Connection* const slow = table_.Slowest(except.id(), now_);
    if (slow == nullptr || slow->Lag(now_) < kSlow) return false;
    if (slow->worth() == Connection::Worth::kAnswer) {
      Close(slow->id());
      return true;
    }
    slow->Refuse(Busy("it needs the memory of a request that is slow"), now_);
    more_.push_back(slow->id());
    return true;
  }

  // Whether the connection can go on at once.
  bool Dispatch(Connection& connection) {
    auto job = std::make_shared<Job>();
    job->connection = connection.id();
    job->request = connection.TakeRequest();
    const Lane lane = handler_.LaneOf(job->request.head);
    if (lane == Lane::kAtOnce) {
      connection.Answer(HandleSafely(handler_, std::move(job->request)), now_);
      return true;
    }
    if (PoolOf(lane).Run(connection.address(), [this, job] { Work(*job); })) {
      jobs_[connection.id()] = std::move(job);
      return false;
    }
    connection.Refuse(Busy("too many requests are waiting"), now_);
    return true;
  }

  WorkerPool& PoolOf(Lane lane) {
    if (lane == Lane::kStatus) return status_;
    return lane == Lane::kReads ? reads_ : calls_;
  }

  // On a thread of a lane.
  void Work(Job& job) {
    if (job.abandoned) return;
    answers_.Add(job.connection,
                 HandleSafely(handler_, std::move(job.request)));
  }

  void SendAnswers() {
    for (auto& [id, answer] : answers_.TakeAll()) {
      jobs_.erase(id);
      Connection* const connection = table_.Find(id);
      if (connection == nullptr) continue;
      while (!connection->TakeRoom(answer.body.size()) &&
             EndSlowest(*connection)) {
      }
      connection->Answer(std::move(answer), now_);
      Serve(*connection);
    }
  }

  void TakeConnections() {
    for (int i = 0; i < kAcceptsPerTurn && listener_ != nullptr; ++i) {
      Listener::Taken taken = listener_->Take();
      switch (taken.state) {
        case Listener::Taken::State::kOne:
          AddConnection(std::move(taken));
          break;
        case Listener::Taken::State::kNone:
          return;
        case Listener::Taken::State::kNoDescriptors:
          if (!CloseOne(table_.LeastMissed(now_))) listener_->TurnAway();
          break;
      }
    }
  }

  void AddConnection(Listener::Taken taken) {
    if (!MakeRoomFor(taken.address)) return TurnAway(taken.fd.get());
    std::unique_ptr<Transport> transport =
        tls_ != nullptr ? tls_->Accept(std::move(taken.fd))
                        : MakePlainTransport(std::move(taken.fd));
    if (transport == nullptr) return;
    const Connection& added = table_.Add(std::make_unique<Connection>(
        next_id_++, std::move(transport), std::move(taken.address), limits_,
        budget_, now_));
    Watch(EPOLL_CTL_ADD, added.fd(), added.id(), added.interest());
  }

  // Whether a client may have one connection more, perhaps for another that is
  // closed.
  bool MakeRoomFor(const std::string& address) {
    if (table_.CountOf(address) >= limits_.connections_per_client) {
      return CloseOne(table_.LeastMissedOf(address, now_));
    }
    return table_.size() < limits_.connections ||
           CloseOne(table_.LeastMissed(now_));
  }

  bool CloseOne(const Connection* connection) {
    if (connection == nullptr) return false;
    Close(connection->id());
    return true;
  }

  // Says why, if that can be said before a handshake.
  void TurnAway(int fd) const {
    if (tls_ != nullptr) return;
    const Answer answer = AnswerOf(Busy("it has too many connections"));
    const std::string text = HeadText(answer, /*keep_alive=*/false);
    send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_MORE);
    send(fd, answer.body.data(), answer.body.size(), MSG_NOSIGNAL);
  }

  void KeepDeadlines() {
    if (now_ - ticked_ < kTick && now_ >= ticked_) return;
    ticked_ = now_;
    for (const uint64_t id : table_.Ids()) {
      Connection& connection = *table_.Find(id);
      if (connection.deadline() > now_) continue;
      if (connection.Expire(now_) == Event::kClosed) {
        Close(id);
      } else {
        more_.push_back(id);
      }
    }
  }

  // Its request, if a worker has it and has not begun it, is not done.
  void Close(uint64_t id) {
    const auto job = jobs_.find(id);
    if (job != jobs_.end()) {
      job->second->abandoned = true;
      jobs_.erase(job);
    }
    table_.Remove(id);
  }

  const Limits limits_;
  Handler& handler_;
  const Clock& clock_;
  const int port_;
  HostRules hosts_;

  std::unique_ptr<Listener> listener_;
  const std::unique_ptr<TlsServer> tls_;
  ByteBudget budget_;
  ConnectionTable table_;
  const UniqueFd epoll_;
  Answers answers_;
  WorkerPool status_;
  WorkerPool reads_;
  WorkerPool calls_;

  std::vector<char> buffer_;
  absl::Time now_;
  absl::Time ticked_;
  uint64_t next_id_ = kFirstConnection;
  // Connections that can go on without waiting for their sockets.
  std::vector<uint64_t> more_;
  absl::flat_hash_map<uint64_t, std::shared_ptr<Job>> jobs_;

  std::mutex mutex_;
  std::optional<absl::Time> stop_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Front>> StartFront(const FrontOptions& options,
                                                  Handler& handler,
                                                  const Clock& clock) {
  RK_ASSIGN_OR_RETURN(std::unique_ptr<Listener> listener,
                      Listener::Open(options.host, options.port));
  std::unique_ptr<TlsServer> tls;
  if (!options.tls.empty()) {
    RK_ASSIGN_OR_RETURN(tls, MakeTlsServer(options.tls, clock));
  }
  auto front = std::make_unique<EpollFront>(
      options, handler, clock, std::move(listener), std::move(tls));
  RK_RETURN_IF_ERROR(front->Start());
  return front;
}

}  // namespace rekindle::http
